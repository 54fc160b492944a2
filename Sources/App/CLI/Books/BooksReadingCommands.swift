import ArgumentParser
import BookRoom
import Books
import Foundation
import GatewayAPI
import GatewayClient
import Storage
import Text

/// `selene books list`
struct BooksListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the books, latest first; with SELENE_URL those of the gateway there.")

    @Option(help: "Only books whose title, authors or source contain this text.")
    var query: String?

    @OptionGroup var book: BookOptions

    func run() async throws {
        let (query, json) = (query, book.json)
        if book.isOfGateway { return try await listOfGateway(query, json) }
        try await LocalBooks.reported(book) { library in
            var books: [Book] = []
            var cursor: PageCursor?
            repeat {
                let page = try await library.store.page(containing: query, after: cursor, limit: 200)
                books += page.items
                cursor = page.next
            } while cursor != nil
            try Self.report(books, json)
        }
    }

    private func listOfGateway(_ query: String?, _ json: Bool) async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let service = RemoteBookService(try GatewayOptions.connect(nil))
            var books: [Book] = []
            var cursor: String?
            repeat {
                let page = try await service.books(matching: query, PageRequest(limit: 100, cursor: cursor))
                books += page.books
                cursor = page.nextCursor
            } while cursor != nil
            try Self.report(books, json)
        }
    }

    private static func report(_ books: [Book], _ json: Bool) throws {
        try Terminal.report(BookList(books: books, nextCursor: nil), asJSON: json) {
            if books.isEmpty { Terminal.line("No books. Add one: selene books add FILE") }
            for book in books { Terminal.line(BookText.line(book)) }
        }
    }
}

/// `selene books show ID`
struct BooksShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show a book and its headings.")

    @Argument(help: "The book's id.")
    var id: Int64

    @OptionGroup var book: BookOptions

    func run() async throws {
        let (id, json) = (id, book.json)
        try await LocalBooks.reported(book) { library in
            let book = try await library.store.find(id)
            if json { return Terminal.line(try JSONOutput.text(book)) }
            Terminal.line(BookText.line(book))
            for notice in book.notices { Terminal.line("  \(notice.message)") }
            if let error = book.error { Terminal.line("  \(error.error)") }
            for heading in try await library.store.outline(of: id, before: nil) {
                let margin = String(repeating: "  ", count: heading.level)
                Terminal.line("\(margin)\(heading.title)  p. \(heading.label ?? String(heading.page))")
            }
        }
    }
}

/// `selene books read ID PAGE`
struct BooksReadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "read", abstract: "Print a page.")

    @Argument(help: "The book's id.")
    var id: Int64

    @Argument(help: "The physical page number.")
    var page: Int?

    @Option(help: "The printed page number instead.")
    var label: String?

    @OptionGroup var book: BookOptions

    func validate() throws {
        guard (page == nil) != (label == nil) else { throw ValidationError("give either a page or --label") }
    }

    func run() async throws {
        let (id, page, label, json) = (id, page, label, book.json)
        try await LocalBooks.reported(book) { library in
            var number = page
            if let label { number = try await library.store.page(labelled: label, of: id) }
            guard let number else { throw BookRefusal.noLabel(label ?? "") }
            let found = try await library.store.page(number, of: id)
            try Terminal.report(found, asJSON: json) { Terminal.line(found.text) }
        }
    }
}

/// `selene books search ID QUERY`
struct BooksSearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find passages by meaning and by words, up to the reading position.")

    @Argument(help: "The book's id, or 0 for all books.")
    var id: Int64

    @Argument(help: "What to look for.")
    var query: String

    @Option(help: "Maximum number of passages, 1 to 50.")
    var limit = 6

    @Flag(help: "Also find what lies beyond the reading position.")
    var ignorePosition = false

    @Flag(
        inversion: .prefixedNo,
        help: "Let a model reorder the best passages (default: if SELENE_RERANK_MODEL is set).")
    var rerank: Bool?

    @OptionGroup var book: BookOptions

    func validate() throws {
        guard (1...50).contains(limit) else { throw ValidationError("--limit: expected 1 to 50, got \(limit)") }
    }

    func run() async throws {
        var query = BookRetrieval.Query(text: query, books: id == 0 ? nil : [id])
        query.limit = limit
        query.ignoresPosition = ignorePosition
        query.rerank = rerank.map { RerankOption(isOn: $0) }
        let (wanted, json) = (query, book.json)
        try await LocalBooks.reported(book) { library in
            let found = try await library.retrieval.retrieve(wanted)
            try Terminal.report(found, asJSON: json) {
                if let reason = found.fallbackReason { Terminal.line(Terminal.dim("words only: \(reason)")) }
                if let reason = found.rerank?.reason { Terminal.line(Terminal.dim("not reranked: \(reason)")) }
                if found.results.isEmpty { Terminal.line("No passages found.") }
                for (index, result) in found.results.enumerated() {
                    let place = [result.title, result.heading ?? "", "p. \(result.label ?? String(result.page))"]
                    Terminal.line(
                        "\(index + 1). "
                            + Terminal.bold(SafeText(oneLine: place.filter { !$0.isEmpty }.joined(separator: " · "))))
                    Terminal.line(SafeText(result.text).indented(by: 3))
                }
            }
        }
    }
}

/// `selene books find ID TEXT`
struct BooksFindCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "find", abstract: "Find exact text.")

    @Argument(help: "The book's id.")
    var id: Int64

    @Argument(help: "The text, whatever its case, quotation marks, dashes and line breaks.")
    var text: String

    @Option(help: "Maximum number of hits.")
    var limit = 50

    @OptionGroup var book: BookOptions

    func run() async throws {
        let (id, text, limit, json) = (id, text, max(1, limit), book.json)
        try await LocalBooks.reported(book) { library in
            let found = try await library.finder.find(text, in: id, after: nil, limit: limit)
            try Terminal.report(found, asJSON: json) {
                for hit in found.hits {
                    Terminal.line(
                        "p. \(hit.label ?? String(hit.page))  " + SafeText(oneLine: hit.before)
                            + Terminal.bold(SafeText(oneLine: hit.match)) + SafeText(oneLine: hit.after))
                }
                Terminal.line("\(found.total) hits")
            }
        }
    }
}

/// `selene books position ID [PAGE]`
struct BooksPositionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "position", abstract: "Show or set how far a book was read.",
        discussion: "Searches and chats find nothing beyond it. A page means that it was read to its end.")

    @Argument(help: "The book's id.")
    var id: Int64

    @Argument(help: "The physical page.")
    var page: Int?

    @Option(help: "The printed page.")
    var label: String?

    @Option(help: "The share that was read, 0 to 100.")
    var percent: Double?

    @Flag(help: "Remove the position.")
    var clear = false

    @OptionGroup var book: BookOptions

    func validate() throws {
        let given = [page != nil, label != nil, percent != nil, clear].count { $0 }
        guard given <= 1 else { throw ValidationError("give only one of PAGE, --label, --percent and --clear") }
        if let percent, !(0...100).contains(percent) {
            throw ValidationError("--percent: expected 0 to 100, got \(percent)")
        }
    }

    func run() async throws {
        let place: BookPositions.Place? =
            page.map { .page($0) } ?? label.map { .label($0) } ?? percent.map { .percent($0) }
        let (id, clear, json) = (id, clear, book.json)
        try await LocalBooks.reported(book) { library in
            var book = try await library.store.find(id)
            if clear { book = try await library.positions.clear(id) }
            if let place {
                book = try await library.positions.set(place, of: id)
                // The passage that the position cuts is found by its words until a gateway embeds it.
                try? await library.embedTail(of: id)
            }
            try Terminal.report(book, asJSON: json) {
                guard let position = book.position else { return Terminal.line("no position: the whole book is found") }
                Terminal.line("page \(position.label ?? String(position.page)), \(position.percent) %")
            }
        }
    }
}

/// `selene books export ID`
struct BooksExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "export", abstract: "Print a book's text.")

    @Argument(help: "The book's id.")
    var id: Int64

    @OptionGroup var book: BookOptions

    /// The output of `--json`.
    private struct Export: Encodable {
        var book: Book
        var text: String
    }

    func run() async throws {
        let (id, json) = (id, book.json)
        try await LocalBooks.reported(book) { library in
            let book = try await library.store.find(id)
            guard book.textBytes > 0 else { throw BookRefusal.notRead(id) }
            if json {
                let text = try await library.store.text(of: id, in: 0..<book.textBytes).text
                return Terminal.line(try JSONOutput.text(Export(book: book, text: text)))
            }
            var start = 0
            while let part = try await library.store.nextPart(of: id, from: start) {
                Terminal.write(String(decoding: part.text, as: UTF8.self))
                start = part.start + max(1, part.text.count)
            }
        }
    }
}

/// `selene books remove ID`
struct BooksRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Delete a book with its file.")

    @Argument(help: "The book's id.")
    var id: Int64

    @OptionGroup var book: BookOptions

    func run() async throws {
        let (id, json) = (id, book.json)
        try await LocalBooks.reported(book) { library in
            let book = try await library.store.find(id)
            try await library.delete(id)
            try Terminal.report(book, asJSON: json) { Terminal.line("removed \"\(book.title)\"") }
        }
    }
}

/// Formats books for a person.
enum BookText {
    static func line(_ book: Book) -> String {
        var parts = ["\(book.id)", book.title]
        if !book.authors.isEmpty { parts.append(book.authors.joined(separator: ", ")) }
        switch book.state {
        case .ready: parts.append("\(Count.of(book.pages, "page"))")
        case .embedding:
            parts.append("\(Count.of(book.pages, "page")), \(book.embedded) of \(book.passages) passages embedded")
        case .pending, .parsing, .failed: parts.append(book.state.rawValue)
        }
        if let position = book.position { parts.append("read to page \(position.label ?? String(position.page))") }
        if book.isPrivate { parts.append("private") }
        return parts.joined(separator: "  ")
    }
}
