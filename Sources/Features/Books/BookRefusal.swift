import Storage

/// Why a request about books is refused.
package enum BookRefusal: Error, Sendable, Hashable {
    /// The file is larger than a limit in bytes.
    case tooLarge(limit: Int)
    /// The file has no format that the gateway reads.
    case unknownFormat
    /// The file is empty, or nothing but white space.
    case noText
    /// The disk is full, or the books' files have all the space that they may have.
    case noSpace
    /// The book has no text yet.
    case notRead(Int64)
    /// Only a failed import can be repeated.
    case notFailed(Int64)
    /// The book has no page with this label.
    case noLabel(String)
    /// The book has no cover.
    case noCover(Int64)
    /// The URL cannot be fetched: a sentence.
    case url(String)
    /// The address of the URL is not public.
    case privateAddress(String)
    /// Only pages of PDF files have images.
    case noPicture(Int64)
    /// `pdftoppm` is absent or turned off.
    case noPageProgram
    /// A page gives no image: why.
    case undrawable(page: Int, reason: String)
    /// The machine lacks what starting a process takes.
    case noResources
    /// The file gives no text: a sentence.
    case unreadable(String)
    /// The body ended before its length, or could not be written.
    case upload(String)
}

extension BookRefusal: CustomStringConvertible {
    /// A sentence for logs and the messages of jobs.
    package var description: String {
        switch self {
        case .unreadable(let reason), .url(let reason), .upload(let reason): reason
        case .tooLarge(let limit): "the file is larger than \(limit) bytes"
        case .unknownFormat: "the file is none of PDF, EPUB, DOCX, HTML, Markdown and text"
        case .noText: "the file has no text"
        case .noSpace: "there is no space for the file"
        case .notRead(let id): "book \(id) has no text yet"
        case .notFailed(let id): "the import of book \(id) did not fail"
        case .noLabel(let label): "the book has no page \"\(label)\""
        case .noCover(let id): "book \(id) has no cover"
        case .noPicture(let id): "book \(id) is no PDF, so its pages have no images"
        case .noPageProgram:
            "images of pages need pdftoppm, which is not installed or turned off: apt-get install poppler-utils, or set "
                + "SELENE_BOOKS_PAGE_PROGRAM to its path"
        case .noResources: "the machine lacks memory, processes or open files for this"
        case .undrawable(let page, let reason): "page \(page) cannot be drawn: \(reason)"
        case .privateAddress(let host): "\(host) is in a private network or on this machine"
        }
    }
}
