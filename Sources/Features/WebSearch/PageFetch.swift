import DocumentReading
import Documents
import Text
import Transport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Fetches a web page and reads its text, in a process of its own when there is a program for it.
package struct PageFetch: Sendable {
    /// The bytes of a page that are fetched. Of a longer text the beginning is read; other files are refused.
    static let maxBytes = 16 << 20
    /// The longest text of a page in UTF-8 bytes.
    static let maxTextBytes = 256 << 10
    static let maxURLBytes = PublicFetch.maxURLBytes

    private let fetch: PublicFetch
    private let program: (path: String, arguments: [String])?

    /// - Parameters:
    ///   - allowsPrivate: Whether addresses in private networks and of this machine are connected to, too.
    ///   - program: The program and its arguments that read a file in a process of their own; nil reads in this process.
    package init(allowsPrivate: Bool, program: (path: String, arguments: [String])?) {
        fetch = PublicFetch(
            accepts: "text/html, application/xhtml+xml, application/pdf;q=0.9, text/markdown, text/plain, */*;q=0.5",
            limits: PublicFetch.Limits(
                total: .seconds(20), connect: .seconds(5), firstByte: .seconds(15), idle: .seconds(5)),
            allowsPrivate: allowsPrivate)
        self.program = program
    }

    /// Fetches and reads a page.
    ///
    /// - Parameter address: An http or https URL; one without a scheme is https.
    /// - Throws: ``WebFailure``, `CancellationError`.
    package func page(_ address: String) async throws -> WebPageText {
        var bytes: [UInt8] = []
        let fetched: PublicFetch.Fetched
        do {
            let url = address.contains("://") ? address : "https://" + address
            fetched = try await fetch.fetch(url, atMost: Self.maxBytes) { bytes += $0 }
        } catch let failure as PublicFetch.Failure {
            switch failure {
            case .url(let sentence): throw WebFailure.url(sentence)
            case .privateAddress(let host): throw WebFailure.privateAddress(host)
            }
        }
        if fetched.isCut {
            // Nothing can be read of a part of an archive or of a PDF file.
            guard !bytes.starts(with: "PK".utf8), !bytes.prefix(1024).contains(Array("%PDF-".utf8)) else {
                throw WebFailure.unreadable("the file has more than \(Self.maxBytes >> 20) MiB")
            }
            bytes.removeLast(UTF8Border.incompleteTail(of: bytes))
        }
        do {
            let document = try await read(bytes, name: Self.name(fetched.url), contentType: fetched.contentType)
            return WebPageText(document, url: fetched.url, isCut: fetched.isCut)
        } catch let error as DocumentError {
            throw WebFailure.unreadable(Self.sentence(error))
        } catch is ReadingProblem {
            throw WebFailure.noResources
        }
    }

    @concurrent private func read(
        _ bytes: [UInt8], name: String, contentType: String?
    ) async throws -> Document {
        let limits = Self.limits
        guard let program else {
            return try DocumentReader.read(
                bytes, name: name, contentType: contentType, content: .articleAndLinks, limits: limits.document)
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "selene-web-\(UUID().uuidString)").path
        guard
            FileManager.default.createFile(
                atPath: file, contents: Data(bytes), attributes: [.posixPermissions: 0o600])
        else { throw WebFailure.noResources }
        defer { try? FileManager.default.removeItem(atPath: file) }
        return try await DocumentProcess(executable: program.path, arguments: program.arguments, limits: limits)
            .read(file: file, name: name, contentType: contentType, content: .articleAndLinks)
    }

    private static var limits: ReadingLimits {
        var limits = ReadingLimits()
        limits.memoryBytes = 1 << 30
        limits.cpuSeconds = 20
        limits.wallSeconds = 25
        limits.messageBytes = 32 << 20
        limits.document.fileBytes = maxBytes
        limits.document.textBytes = maxTextBytes
        limits.document.unpackedBytes = 128 << 20
        limits.document.pages = 2000
        return limits
    }

    /// The address as the name of a file, for its extension: without host, query and fragment.
    private static func name(_ url: String) -> String {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        return String(path.split(separator: "/").dropFirst(2).last ?? "")
    }

    /// What is wrong with a page, for a client that cannot open it in a browser.
    private static func sentence(_ error: DocumentError) -> String {
        switch error.code {
        case .unknownFormat: "the page is none of HTML, PDF, EPUB, DOCX, Markdown and text"
        case .empty: "the page has no text for programs; it may need JavaScript or signing in, or be an image"
        case .encrypted, .protected: "the file is protected"
        case .tooLarge, .tooCostly: "the page takes more time or memory to read than the limits allow"
        case .damaged: "the page is damaged"
        }
    }
}
