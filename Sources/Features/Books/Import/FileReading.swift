import DocumentReading
import Documents

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the files of books.
struct FileReading: Sendable {
    let settings: BookSettings

    /// Reads a file, in a process of its own when there is a program for it. Of a page from the Internet only the article
    /// is read.
    ///
    /// - Parameter report: Gets how many images of pages were recognized.
    /// - Throws: `DocumentError`; the error of a file that cannot be opened.
    @concurrent func read(
        _ path: String, _ name: String, _ contentType: String?, _ report: RecognitionReport
    ) async throws -> Document {
        let isPage = name.hasPrefix("http://") || name.hasPrefix("https://")
        var limits = DocumentLimits()
        limits.fileBytes = settings.maxFileBytes
        let own = isPage ? String(name.prefix { $0 != "?" && $0 != "#" }) : name
        if let program = settings.readerProgram {
            var reading = ReadingLimits()
            reading.document = limits
            var document = try await DocumentProcess(
                executable: program.path, arguments: program.arguments, limits: reading
            ).read(file: path, name: own, contentType: contentType, content: isPage ? .article : .whole)
            if document.format == .pdf {
                document = try await ScannedPages(settings: settings).recognized(document, path, report)
            }
            if document.format == .pdf, document.cover == nil { document.cover = try await cover(path) }
            return document
        }
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        return try DocumentReader.read(
            bytes, name: own, contentType: contentType, content: isPage ? .article : .whole, limits: limits)
    }

    /// The first page of a PDF file as an image; nil when it cannot be drawn, since a book needs no cover.
    private func cover(_ path: String) async throws -> [UInt8]? {
        guard let drawing = PageDrawing(settings) else { return nil }
        do {
            let image = try await drawing.draw(file: path, page: 1, size: PagePictures.coverSize)
            return image.count <= Document.maxCoverBytes ? image : nil
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return nil
        }
    }
}
