package import Server

/// The settings of books.
public struct BookSettings: Sendable {
    /// All settings of this feature, in the order of `selene config`.
    package static let all: [Setting] = [.books, .booksMaxFile, .booksSpace, .booksPrivateURLs, .booksPageProgram]

    /// The folder of the books' files.
    public var folder: String
    /// The largest file in bytes.
    public var maxFileBytes: Int
    /// The bytes that the files of all books may have together.
    public var maxTotalBytes: Int
    /// Whether books are fetched from addresses in private networks, too.
    public var allowsPrivateURLs: Bool
    /// The program that draws pages of PDF files: `auto`, `off` or a path.
    public var pageProgram: String
    /// The program and its arguments that read a file in a process of their own; nil reads in this process. No setting: a
    /// program names itself.
    public var readerProgram: (path: String, arguments: [String])?

    /// Reads and checks the settings.
    ///
    /// - Parameter database: The path of the database; the folder is beside it by default.
    /// - Throws: ``ConfigurationError``.
    package init(_ reader: SettingsReader, database: String) throws {
        let name = reader.text(.books) ?? ""
        folder = name.isEmpty || name == "auto" ? database + ".books" : reader.path(.books) ?? name
        maxFileBytes = try reader.integer(.booksMaxFile, in: 1...(4 << 30))
        maxTotalBytes = try reader.integer(.booksSpace, in: 1...(1 << 50))
        allowsPrivateURLs = try reader.word(.booksPrivateURLs, as: Choice.self) == .true
        let program = try reader.nonEmptyText(.booksPageProgram)
        guard program == "auto" || program == "off" || program.contains("/") else {
            throw ConfigurationError.invalid(
                .booksPageProgram, program, reader.origin(of: .booksPageProgram), "auto, off or the path of pdftoppm")
        }
        pageProgram = reader.path(.booksPageProgram) ?? program
    }

    private enum Choice: String, CaseIterable { case `true`, `false` }
}

extension Setting {
    package static let books = Setting(
        "books", default: "auto", "folder of the books' files; auto: next to the database")
    package static let booksMaxFile = Setting(
        "books_max_file", default: "536870912", "largest file of a book in bytes")
    package static let booksSpace = Setting(
        "books_space", default: "17179869184", "bytes that the files of all books may have together")
    package static let booksPrivateURLs = Setting(
        "books_private_urls", default: "false",
        "true: books may be fetched from addresses in private networks and from this machine")
    package static let booksPageProgram = Setting(
        "books_page_program", default: "auto",
        "draws pages of PDF files: path of pdftoppm (poppler-utils); auto: where it is installed; off: no images")
}
