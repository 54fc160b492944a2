import BookRoom
import Database
package import GatewayAPI
import Inference
import Logging
package import Prompts
import Storage

/// Finds what the names of the gateway's own models mean, and lists them.
package struct NotesModels: Sendable {
    /// The threads and books that are listed, and looked through for a name.
    private static let (listed, searched) = (100, 1000)

    let engine: ChatEngine
    /// The model behind a name that names none.
    package let defaultModel: @Sendable () -> String

    package init(_ engine: ChatEngine, defaultModel: @escaping @Sendable () -> String) {
        (self.engine, self.defaultModel) = (engine, defaultModel)
    }

    /// What a name means.
    package struct Choice: Sendable, Hashable {
        package var kind: ChatKind
        package var scope: ChatScope?
        /// The full name of the model that writes the answer.
        package var model: String
    }

    /// No model has a name.
    package struct Unknown: Error, Hashable {
        package var name: String
    }

    /// Finds what a name means.
    ///
    /// - Throws: ``Unknown``, ``StorageError``.
    package func choice(of name: String) async throws -> Choice {
        guard let parsed = NotesModelName(name) else { throw Unknown(name: name) }
        var choice = Choice(kind: .ask, model: parsed.model ?? defaultModel())
        switch parsed.subject {
        case .notes: break
        case .thread(let word):
            let threads = try await titles(Self.searched, of: .threads)
            guard let id = Self.find(word, among: threads) else { throw Unknown(name: name) }
            (choice.kind, choice.scope) = (.deepDive, ChatScope(thread: .init([String(id)])))
        case .book(let word):
            let books = try await titles(Self.searched, of: .books)
            guard let id = Self.find(word, among: books) else { throw Unknown(name: name) }
            (choice.kind, choice.scope) = (.book, ChatScope(book: .init([id])))
        }
        return choice
    }

    /// The names for a key: of the notes, the liveliest threads and the books, and of the notes with each chat model of Ollama.
    ///
    /// - Parameters:
    ///   - others: The other models that the key may use.
    ///   - isAllowed: Whether it may use a name that names no model behind it.
    package func names(beside others: [String], _ isAllowed: (String) -> Bool) async -> [String] {
        var names = ["notes"] + Self.names("notes", await listed(.threads))
        names += Self.names("book", await listed(.books))
        names.removeAll { !isAllowed($0) }
        names += others.filter { NotesModelName($0) == nil && isChatModel($0) }.map { "notes+\($0)" }
        return names
    }

    /// Models that make vectors or read sound show in their names; many lists do not tell it.
    private func isChatModel(_ name: String) -> Bool {
        guard engine.providers.resolve(name).provider.name == engine.providers.ollama.name else { return false }
        let word = name.lowercased()
        return !["embed", "minilm", "bge-", "rerank", "whisper"].contains(where: word.contains)
    }

    // MARK: Titles

    private enum Shelf { case threads, books }

    /// The threads or books, each with its title.
    private func titles(_ limit: Int, of shelf: Shelf) async throws -> [(id: Int64, title: String)] {
        var found: [(id: Int64, title: String)] = []
        var cursor: PageCursor?
        repeat {
            let count = min(Self.listed, limit - found.count)
            switch shelf {
            case .threads:
                let page = try await engine.threads.active(after: cursor, limit: count)
                found += page.items.map { ($0.id, $0.name) }
                cursor = page.next
            case .books:
                let page = try await engine.books.page(containing: nil, after: cursor, limit: count)
                found += page.items.filter { $0.state == .ready || $0.state == .embedding }.map { ($0.id, $0.title) }
                cursor = page.next
            }
        } while cursor != nil && found.count < limit
        return found
    }

    /// The latest for a list, which goes without them while they cannot be read.
    private func listed(_ shelf: Shelf) async -> [(id: Int64, title: String)] {
        do {
            return try await titles(Self.listed, of: shelf)
        } catch {
            engine.logger.warning("the models of the notes are not all listed", metadata: ["error": "\(error)"])
            return []
        }
    }

    /// The names below a word. Of two with the same title, the second has its id behind it.
    static func names(_ word: String, _ entries: [(id: Int64, title: String)]) -> [String] {
        var known: Set<String> = ["latest"]
        return entries.map { entry in
            let slug = NotesModelName.slug(of: entry.title)
            let isClear = !slug.isEmpty && !slug.allSatisfy(\.isNumber) && known.insert(slug).inserted
            return "\(word):" + (isClear ? slug : slug.isEmpty ? String(entry.id) : "\(slug)-\(entry.id)")
        }
    }

    /// The id of an entry: by its id in digits, its name in the list, or the beginning of one name only.
    static func find(_ word: String, among entries: [(id: Int64, title: String)]) -> Int64? {
        if let id = Int64(word), entries.contains(where: { $0.id == id }) { return id }
        let slug = NotesModelName.slug(of: word)
        guard !slug.isEmpty else { return nil }
        let names = names("", entries).map { $0.dropFirst() }
        if let place = names.firstIndex(where: { $0 == slug }) { return entries[place].id }
        let beginnings = names.indices.filter { names[$0].hasPrefix(slug + "-") }
        return beginnings.count == 1 ? beginnings.first.map { entries[$0].id } : nil
    }
}
