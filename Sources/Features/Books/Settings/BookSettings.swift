package import Server

package struct BookSettings: Sendable {
    /// All settings of this feature, in the order of `selene config`.
    package static let all: [Setting] = [
        .books, .booksMaxFile, .booksSpace, .booksPrivateURLs, .booksPageProgram, .booksOCR, .booksOCRLanguages,
    ]

    /// The folder of the books' files.
    package var folder: String
    /// The largest file in bytes.
    package var maxFileBytes: Int
    /// The bytes that the files of all books may have together.
    package var maxTotalBytes: Int
    /// Whether books are fetched from addresses in private networks, too.
    package var allowsPrivateURLs: Bool
    /// The program that draws pages of PDF files: `auto`, `off` or a path.
    package var pageProgram: String
    /// The program that recognizes the text of images of pages: `auto`, `off` or a path.
    package var ocrProgram: String
    /// The languages that it looks for, such as `eng+deu`.
    package var ocrLanguages: String
    /// The program and its arguments that read a file in a process of their own; nil reads in this process. No setting: a
    /// program names itself.
    package var readerProgram: (path: String, arguments: [String])?

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
        let ocr = try reader.nonEmptyText(.booksOCR)
        guard ocr == "auto" || ocr == "off" || ocr.contains("/") else {
            throw ConfigurationError.invalid(
                .booksOCR, ocr, reader.origin(of: .booksOCR), "auto, off or the path of tesseract")
        }
        ocrProgram = reader.path(.booksOCR) ?? ocr
        let languages = try reader.nonEmptyText(.booksOCRLanguages)
        // An option of the program, so nothing that could be another one.
        guard languages.utf8.count <= 100, languages.first?.isLetter == true,
            languages.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isLetter || "_+/-".utf8.contains($0) })
        else {
            throw ConfigurationError.invalid(
                .booksOCRLanguages, languages, reader.origin(of: .booksOCRLanguages),
                "languages of tesseract, such as eng or eng+deu")
        }
        ocrLanguages = languages
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
    package static let booksOCR = Setting(
        "books_ocr", default: "auto", editable: true,
        "recognizes the text of scanned pages: path of tesseract; auto: where it is installed; off: never")
    package static let booksOCRLanguages = Setting(
        "books_ocr_languages", default: "eng", editable: true,
        "languages of scanned pages, as tesseract names them: eng+deu")
}
