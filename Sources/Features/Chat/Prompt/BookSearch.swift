import GatewayAPI
import Tools

/// The passages that a question about books needs. All of them come from the tools that models have, which show nothing
/// beyond the reading position.
struct BookSearch: Sendable {
    /// The share of the context that a whole book may take, in bytes per token of the context.
    private static let wholeBytesPerToken = 2

    let tools: ToolRegistry
    /// Names the books.
    let caller: ToolCaller

    /// The gateway has no books, or the key may not read them.
    struct NoBooks: Error, CustomStringConvertible {
        var description: String { "this gateway has no books, or the key may not read them" }
    }

    /// Finds passages: the whole book when it is short, else the pages that the question names, then what a search finds.
    ///
    /// - Parameters:
    ///   - question: The question as the reader asked it; it may name pages.
    ///   - query: What to look for.
    ///   - context: The size of the context in tokens.
    /// - Throws: ``NoBooks``, errors of the tools, `CancellationError`.
    func run(
        _ question: String, query asked: ContextualQuery, limit: Int, context: Int
    ) async throws -> PassageSearch.Found {
        let (query, rewritten) = (PassageSearch.bounded(asked.text), asked.isRewritten)
        var named: [ChatPassage] = []
        if let pages = PageReference(in: question) {
            var arguments = ["first": JSONValue.string(pages.first)]
            arguments["last"] = pages.last.map { .string($0) }
            named = try await call("read_pages", arguments).passages.map(\.part)
        } else if caller.books.count == 1, let whole = try await wholeBook(context: context) {
            return found(query, rewritten, whole, reason: nil)
        }
        let result = try await call("search_books", ["query": .string(query), "limit": .integer(Int64(limit))])
        var passages = result.passages.map(\.part)
        if let own = asked.own {
            let more = try await call(
                "search_books", ["query": .string(PassageSearch.bounded(own)), "limit": .integer(Int64(limit))])
            passages = Array(
                RankedLists.alternating(passages, more.passages.map(\.part)) { one, other in
                    one.book == other.book && one.range.overlaps(other.range)
                }.prefix(limit))
        }
        let others = passages.filter { passage in
            !named.contains { $0.book == passage.book && $0.range.overlaps(passage.range) }
        }
        return found(query, rewritten, named + others, reason: result.text.isEmpty ? nil : result.text)
    }

    /// All that was read of the book, if it is short.
    func wholeBook(context: Int) async throws -> [ChatPassage]? {
        let result = try await call("read_pages", [:])
        let bytes = result.passages.reduce(0) { $0 + $1.part.text.utf8.count }
        // A text says that the book goes on.
        guard result.text.isEmpty, bytes > 0, bytes <= context * Self.wholeBytesPerToken else { return nil }
        return result.passages.map(\.part)
    }

    private func call(_ name: String, _ arguments: [String: JSONValue]) async throws -> ToolResult {
        guard let tool = tools.tool(named: name), caller.mayCall(tool) else { throw NoBooks() }
        return try await tool.handler(ToolArguments(arguments), caller)
    }

    private func found(
        _ query: String, _ rewritten: Bool, _ passages: [ChatPassage], reason: String?
    ) -> PassageSearch.Found {
        let isByMeaning = passages.contains { $0.why?.meaning != nil }
        return PassageSearch.Found(
            search: ChatSearch(
                query: query, rewritten: rewritten, source: isByMeaning ? "hybrid" : "keyword",
                fallbackReason: reason),
            passages: passages.map { passage in
                var passage = passage
                passage.source = ChatPassage.search
                return passage
            })
    }
}

extension [Int] {
    /// Whether two ranges `[start, end]` overlap.
    fileprivate func overlaps(_ other: [Int]) -> Bool {
        guard count == 2, other.count == 2 else { return false }
        return self[0] < other[1] && other[0] < self[1]
    }
}
