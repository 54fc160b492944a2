import DocumentReading
import Documents

/// Gives pages of a PDF file that are images a text, by `pdftoppm` and `tesseract` where both are installed.
struct ScannedPages {
    let settings: BookSettings

    /// Pages of one file whose text is recognized; further ones stay images.
    static let maxPages = 3_000
    /// The pixels of an inch; what `tesseract` was made for.
    static let dotsPerInch = 300.0
    /// The pixels of an image's longer side.
    static let sizes = 600.0...5_000.0

    /// The document with the text of its scanned pages. Pages that cannot be drawn or recognized stay without text, and a
    /// notice names them.
    ///
    /// - Throws: `CancellationError`.
    func recognized(_ document: Document, _ path: String, _ report: RecognitionReport) async throws -> Document {
        let pages = Array(document.pagesToRecognize.prefix(Self.maxPages))
        guard !pages.isEmpty else { return document }
        guard let drawing, let recognition else { return advised(document) }
        var found: [Int: RecognizedPage] = [:]
        let sizes = Dictionary(document.pages.map { ($0.number, max($0.width ?? 0, $0.height ?? 0)) }) { first, _ in
            first
        }
        for (done, page) in pages.enumerated() {
            await report(done, pages.count)
            try Task.checkCancellation()
            let points = sizes[page] ?? 0
            let size = min(max(points * Self.dotsPerInch / 72, Self.sizes.lowerBound), Self.sizes.upperBound)
            do {
                let image = try await drawing.draw(file: path, page: page, size: Int(size))
                let dots = points > 0 ? size * 72 / points : Self.dotsPerInch
                found[page] = try await recognition.recognize(image, dotsPerInch: Int(min(max(dots, 70), 2_400)))
            } catch is CancellationError {
                throw CancellationError()
            } catch DrawingProblem.noProgram {
                return advised(document)
            } catch {
                continue
            }
        }
        await report(pages.count, pages.count)
        return document.adding(found)
    }

    private var drawing: PageDrawing? {
        var drawing = PageDrawing(settings)
        drawing?.limits.imageBytes = 64 << 20
        return drawing
    }

    private var recognition: PageRecognition? {
        guard let reader = settings.readerProgram,
            let program = PageProgram.path(settings.ocrProgram, of: "tesseract")
        else { return nil }
        return PageRecognition(
            executable: reader.path, arguments: reader.arguments, program: program, languages: settings.ocrLanguages)
    }

    /// Says what is missing, unless recognition is turned off.
    private func advised(_ document: Document) -> Document {
        guard settings.ocrProgram != "off",
            let place = document.notices.firstIndex(where: { $0.code == .scannedPages })
        else { return document }
        var document = document
        document.notices[place].message += " Install tesseract-ocr and poppler-utils, then add the file anew."
        return document
    }
}
