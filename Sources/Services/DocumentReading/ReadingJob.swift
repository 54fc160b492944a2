internal import Documents

/// What a process is to read. It gets the job as JSON by standard input and the file by descriptor ``file``, so that
/// neither is in its arguments, which other users can see.
struct ReadingJob: Sendable, Codable {
    var name: String?
    var contentType: String?
    var content: HTMLContent
    var limits: ReadingLimits
    /// The page to draw; nil reads the document.
    var drawing: Drawing?
    /// The image to recognize, which is the open file; nil reads the document.
    var recognition: Recognition?

    /// A page of a PDF file that another program draws.
    struct Drawing: Sendable, Codable {
        /// The path of `pdftoppm`.
        var program: String
        /// The physical page, from 1.
        var page: Int
        /// The pixels of the longer side.
        var size: Int
    }

    /// An image of a page whose text another program recognizes.
    struct Recognition: Sendable, Codable {
        /// The path of `tesseract`.
        var program: String
        /// The languages as its option `-l` takes them.
        var languages: String
        /// The pixels of an inch of the page.
        var dotsPerInch: Int
    }

    /// The descriptor of the open file.
    static let file: CInt = 3
    /// A job fits into the buffer of a pipe, so that writing it blocks nobody.
    static let maxBytes = 16 << 10
}
