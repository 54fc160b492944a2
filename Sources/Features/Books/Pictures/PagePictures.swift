import Access
package import BookRoom
package import DocumentReading
import Documents
import GatewayAPI

/// Images of a PDF's pages as they are printed, drawn when they are asked for and kept for a while.
package struct PagePictures: Sendable {
    /// The pixels of an image's longer side.
    package static let sizes = 100...2400
    /// The default size: a page that fills a screen.
    package static let size = 1600
    static let coverSize = 640

    private let store: BookRoom
    private let files: BookFiles
    private let drawing: @Sendable () -> PageDrawing?
    let cache: PictureCache
    /// The bytes and the number of images that are kept.
    package var load: (bytes: Int, images: Int) { cache.load }
    /// Pages that are drawn at once; one client's pages leave room for another's.
    private let drawings = KeyConcurrencyLimiter(.drawings)

    /// - Parameter drawing: What draws; nil while pages are not drawn. Asked for each page.
    package init(
        store: BookRoom, files: BookFiles, cache: PictureCache = PictureCache(),
        drawing: @escaping @Sendable () -> PageDrawing?
    ) {
        self.store = store
        self.files = files
        self.cache = cache
        self.drawing = drawing
    }

    /// Returns a page as a PNG image.
    ///
    /// - Parameters:
    ///   - size: The pixels of the longer side, in ``sizes``.
    ///   - account: Who asks, for a fair share.
    /// - Throws: ``StorageError/Code/notFound`` for a book or page that does not exist, ``BookRefusal/noPicture(_:)`` for a
    ///   book that is no PDF, ``BookRefusal/noPageProgram`` without `pdftoppm`, ``BookRefusal/undrawable(page:reason:)``.
    package func picture(of id: Int64, page: Int, size: Int, account: String) async throws -> [UInt8] {
        let book = try await store.stored(id)
        guard book.book.format == DocumentFormat.pdf.rawValue else { throw BookRefusal.noPicture(id) }
        _ = try await store.page(page, of: id)
        let key = PictureCache.Key(hash: book.hash, page: page, size: size)
        if let image = cache.image(key) { return image }
        guard let drawing = drawing() else { throw BookRefusal.noPageProgram }
        return try await drawings.run(account) { [cache, files] in
            // Another request may have drawn it meanwhile.
            if let image = cache.image(key) { return image }
            let path = files.path(of: book.hash)
            guard files.isThere(book.hash) else {
                throw BookRefusal.undrawable(
                    page: page,
                    reason: "the book's file is missing; restore it from a backup, or add the book again")
            }
            do {
                let image = try await drawing.draw(file: path, page: page, size: size)
                cache.keep(image, as: key)
                return image
            } catch let problem as DrawingProblem {
                throw BookRefusal(problem, page: page)
            } catch is ReadingProblem {
                throw BookRefusal.noResources
            }
        }
    }
}

extension PageDrawing {
    /// Nil when pages are not drawn here: without `pdftoppm`, or without a program that limits itself.
    init?(_ settings: BookSettings) {
        guard let reader = settings.readerProgram, let program = PageProgram.path(settings.pageProgram) else {
            return nil
        }
        self.init(executable: reader.path, arguments: reader.arguments, program: program)
    }
}

extension BookRefusal {
    init(_ problem: DrawingProblem, page: Int) {
        switch problem {
        case .noProgram: self = .noPageProgram
        case .failed:
            self = .undrawable(
                page: page, reason: "the file is damaged, needs a password, or has no such page for pdftoppm")
        case .tooCostly:
            self = .undrawable(page: page, reason: "it takes more time or memory than the limits allow")
        }
    }
}
