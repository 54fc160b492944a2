import Access
package import BookRoom
import Documents
import GatewayAPI
import Retrieval
import Text
package import Tools

/// The tools that read books. None shows anything beyond the reading position, which no model can change.
package struct BookTools: Sendable {
    /// The largest number of results.
    static let maxResults: Int64 = 20
    /// The pages that one call reads at most.
    static let maxPages = 40
    /// The headings that an outline shows at most.
    static let maxHeadings = 200
    /// The text around words that were found, in bytes at each end.
    static let around = 300

    let retrieval: BookRetrieval
    let store: BookRoom
    let finder: BookFinder

    package init(retrieval: BookRetrieval, store: BookRoom) {
        self.retrieval = retrieval
        self.store = store
        finder = BookFinder(store: store)
    }

    /// The tools, in the order that models see.
    package var all: [Tool] { [searchBooks, findInBooks, readPages, bookOutline] }

    private static let book = ArgumentSchema.integer(
        "The book's id; absent: all books.", least: 1)
    private static let count = ArgumentSchema.integer(least: 1, most: maxResults, defaultValue: 6)

    private var searchBooks: Tool {
        Tool(
            "search_books", "Finds passages of books by meaning and words. Use other words than the searches before.",
            arguments: .object([
                .required("query", .string("What to look for, in plain words.", least: 1, most: 2000)),
                .optional("limit", Self.count), .optional("book", Self.book),
            ]), scope: "notes:read", about: .books
        ) { arguments, caller in
            let scope = try await scope(arguments, caller)
            guard !scope.books.isEmpty else { return scope.nothing }
            var query = BookRetrieval.Query(
                text: arguments.string("query") ?? "", books: scope.isAll ? nil : scope.books.map(\.id))
            query.limit = Int(arguments.integer("limit") ?? 6)
            query.account = TokenAccount(
                name: caller.key ?? "anonymous", charge: caller.charge, isSpent: caller.isSpent)
            query.mayTellPrivate = scope.books.contains(where: \.isPrivate)
            let found = try await retrieval.retrieve(query)
            var passages: [ToolPassage] = []
            for passage in found.results { passages.append(try await part(passage)) }
            guard !passages.isEmpty else { return ToolResult(text: "Nothing was found in what was read so far.") }
            return ToolResult(
                text: found.fallbackReason.map { "Found by words only: \($0)" } ?? "", passages: passages)
        }
    }

    private var findInBooks: Tool {
        Tool(
            "find_in_books", "Finds the places of books that have exactly these words. Case does not matter.",
            arguments: .object([
                .required("text", .string("The words as they stand in the book.", least: 1, most: 500)),
                .optional("limit", Self.count), .optional("book", Self.book),
            ]), scope: "notes:read", about: .books
        ) { arguments, caller in
            let scope = try await scope(arguments, caller)
            let limit = Int(arguments.integer("limit") ?? 6)
            var (passages, total) = ([ToolPassage](), 0)
            for book in scope.books where book.textBytes > 0 {
                let found = try await finder.find(
                    arguments.string("text") ?? "", in: book.id, after: nil, limit: limit - passages.count,
                    before: book.position?.offset)
                total += found.total
                for hit in found.hits {
                    let range = max(0, hit.start - Self.around)..<hit.end + Self.around
                    if let passage = try await self.passage(range, of: book) { passages.append(passage) }
                }
                if passages.count >= limit { break }
            }
            if scope.books.isEmpty { return scope.nothing }
            return ToolResult(
                text: total > passages.count
                    ? "\(total) places have it; these are the first."
                    : total == 0
                        ? "These words are not in what was read so far." : "", passages: passages)
        }
    }

    private var readPages: Tool {
        Tool(
            "read_pages", "Reads pages of a book by their printed numbers.",
            arguments: .object([
                .optional(
                    "first",
                    .string(
                        "The first page's printed number, such as 42 or xii; absent: the first of all.", least: 1,
                        most: 20)),
                .optional("last", .string("The last page's printed number.", most: 20)),
                .optional("book", Self.book),
            ]), scope: "notes:read", about: .books
        ) { arguments, caller in
            let scope = try await scope(arguments, caller)
            guard let book = scope.books.first else { return scope.nothing }
            var (first, last) = (1, book.pages)
            if let name = arguments.string("first") {
                guard let number = try await number(ofPage: name, in: book) else {
                    return ToolResult(text: "The book has no page \(name). It has \(Count.of(book.pages, "page")).")
                }
                (first, last) = (number, number)
            }
            if let name = arguments.string("last"), let number = try await number(ofPage: name, in: book) {
                last = number
            }
            var passages: [ToolPassage] = []
            let end = max(first, min(last, first + Self.maxPages - 1))
            for page in first...end {
                guard let range = try await store.range(ofPage: page, in: book.id) else { break }
                guard let passage = try await passage(range, of: book) else { continue }
                passages.append(passage)
            }
            let goesOn = end < last && end < book.position?.page ?? .max
            guard passages.isEmpty else {
                return ToolResult(text: goesOn ? "Only the first \(Self.maxPages) pages." : "", passages: passages)
            }
            let isAhead = book.position.map { $0.page < first } ?? false
            return ToolResult(
                text: isAhead
                    ? "The reader is at page \(book.position?.label ?? String(book.position?.page ?? 0)) and has not read this yet."
                    : "These pages have no text.")
        }
    }

    private var bookOutline: Tool {
        Tool(
            "book_outline", "Lists the chapters of a book with their pages, as far as it was read.",
            arguments: .object([.optional("book", Self.book)]), scope: "notes:read", about: .books
        ) { arguments, caller in
            let scope = try await scope(arguments, caller)
            guard let book = scope.books.first else { return scope.nothing }
            let headings = try await store.outline(of: book.id, before: book.position?.offset)
            var lines = ["\(book.title), \(Count.of(book.pages, "page"))"]
            if !book.authors.isEmpty { lines[0] += ", by \(book.authors.joined(separator: ", "))" }
            if let position = book.position {
                lines.append("Read up to page \(position.label ?? String(position.page)).")
            }
            for heading in headings.prefix(Self.maxHeadings) {
                let indent = String(repeating: "  ", count: max(0, heading.level - 1))
                lines.append("\(indent)- \(heading.title), p. \(heading.label ?? String(heading.page))")
            }
            if headings.count > Self.maxHeadings { lines.append("… and \(headings.count - Self.maxHeadings) more") }
            return ToolResult(text: lines.joined(separator: "\n"))
        }
    }

    // MARK: What a call may read

    private struct Scope {
        var books: [Book] = []
        /// Whether these are all books of the gateway.
        var isAll = false
        var isHidden = false

        var nothing: ToolResult {
            ToolResult(text: isHidden ? "The book is private and not sent to this model." : "There is no such book.")
        }
    }

    /// The books of a call: those of the conversation, or the one that the arguments name among them.
    private func scope(_ arguments: ToolArguments, _ caller: ToolCaller) async throws -> Scope {
        var scope = Scope()
        var ids = caller.books
        if let wanted = arguments.integer("book") {
            guard ids.isEmpty || ids.contains(wanted) else { return scope }
            ids = [wanted]
        }
        let found =
            ids.isEmpty ? try await store.all().map(\.book) : await ids.asyncCompactMap { try? await store.find($0) }
        scope.books = found.filter { caller.hides == nil || !$0.isPrivate }
        scope.isHidden = scope.books.count < found.count
        scope.isAll = ids.isEmpty && !scope.isHidden
        return scope
    }

    /// The physical number of a page by its printed number; one without a label has its physical number.
    private func number(ofPage name: String, in book: Book) async throws -> Int? {
        if let labelled = try await store.page(labelled: name, of: book.id) { return labelled }
        return Int(name).flatMap { (1...max(1, book.pages)).contains($0) ? $0 : nil }
    }

    /// A part of a book up to the reading position; nil when nothing of it was read, or it has no text.
    private func passage(_ range: Range<Int>, of book: Book) async throws -> ToolPassage? {
        let end = min(book.position?.offset ?? .max, range.upperBound)
        guard range.lowerBound < end else { return nil }
        let part = try await store.part(of: book.id, range.lowerBound..<end)
        let view = part.view
        guard !view.text.allSatisfy(\.isWhitespace) else { return nil }
        let pages = try await store.pages(of: [part.range.lowerBound, part.range.upperBound - 1], in: book.id)
        return ToolPassage(
            book: book.id, title: book.title, page: pages[0].number, label: pages[0].label, lastPage: pages[1].number,
            range: part.range, text: view.text, offsets: part.offsets(of: view))
    }

    /// A passage of a search.
    private func part(_ found: BookPassage) async throws -> ToolPassage {
        let part = try await store.part(of: found.book, found.start..<found.end)
        let view = part.view
        return ToolPassage(
            book: found.book, title: found.title, page: found.page, label: found.label, lastPage: found.lastPage,
            range: found.start..<found.end, text: found.text,
            offsets: view.text == found.text ? part.offsets(of: view) : nil, score: found.score,
            why: ChatPassage.Why(
                meaning: found.why.similarity, words: found.why.words, terms: found.why.terms, rerank: found.why.rerank)
        )
    }
}

extension Sequence {
    fileprivate func asyncCompactMap<Result>(_ transform: (Element) async throws -> Result?) async rethrows -> [Result]
    {
        var results: [Result] = []
        for element in self {
            if let result = try await transform(element) { results.append(result) }
        }
        return results
    }
}
