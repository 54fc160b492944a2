/// Something about a document that its reader must know.
package struct DocumentNotice: Sendable, Hashable, Codable {
    package enum Code: String, Sendable, Hashable, Codable {
        /// Pages that could not be read. The rest was.
        case failedPages = "failed_pages"
        /// Pages without text, which are images of pages.
        case scannedPages = "scanned_pages"
        /// Pages that are images, with a text that was recognized.
        case recognizedPages = "recognized_pages"
        /// Pages on which many characters have no known meaning.
        case unreliablePages = "unreliable_pages"
        /// White, tiny, invisible or off-page text, which was left out.
        case hiddenText = "hidden_text"
        /// The document is larger than a limit; the rest was left out.
        case cut
        /// The file is damaged and was repaired as far as possible.
        case repaired
        /// The character set was guessed.
        case guessedCharset = "guessed_charset"
    }

    package var code: Code
    /// One sentence for the reader.
    package var message: String
    /// The physical numbers of the pages that it is about, at most ``maxPages``.
    package var pages: [Int]

    package static let maxPages = 100

    package init(_ code: Code, _ message: String, pages: [Int] = []) {
        self.code = code
        self.message = message
        self.pages = Array(pages.prefix(Self.maxPages))
    }
}
