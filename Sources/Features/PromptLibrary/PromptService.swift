import GatewayAPI
import PromptRoom
import Prompts
import Storage
import Text

/// The prompts that come with the gateway and the user's own. An own prompt with the id of a curated one replaces it.
struct PromptService: Sendable {
    private let store: PromptRoom
    /// By id.
    private let curated: [String: PromptEdition]
    /// The ids of the curated prompts, in their order.
    private let order: [String]

    /// Reads the curated prompts.
    ///
    /// - Throws: ``PromptError``; a test reads every file.
    init(_ store: PromptRoom) throws {
        self.store = store
        let editions = try CuratedPrompts.load().map { PromptEdition($0) }
        order = editions.map(\.document.id)
        curated = editions.reduce(into: [:]) { $0[$1.document.id] = $1 }
    }

    /// Returns the prompts by kind, the curated ones first, then by id.
    ///
    /// - Parameters:
    ///   - kind: Only this kind; all when nil.
    ///   - query: Only prompts that have this text in title, purpose or template, case ignored; all when nil.
    /// - Throws: ``StorageError``.
    func list(kind: PromptDocument.Kind?, query: String?) async throws -> [PromptEdition] {
        var own: [String: PromptEdition] = [:]
        for stored in try await store.all() {
            if let edition = edition(stored) { own[edition.document.id] = edition }
        }
        let ids = order + own.keys.filter { curated[$0] == nil }.sorted()
        let all = ids.compactMap { own[$0] ?? curated[$0] }
        let wanted = query.map { FoldedNeedle(folded: TextFolding.folded($0)) }
        return PromptDocument.Kind.allCases.filter { kind == nil || $0 == kind }.flatMap { kind in
            all.filter { edition in
                let document = edition.document
                guard document.kind == kind else { return false }
                guard let wanted else { return true }
                return [document.id, document.title, document.purpose, document.body].contains(where: wanted.isIn)
            }
        }
    }

    /// Returns a version of a prompt.
    ///
    /// - Parameter version: A number, or the beginning of a hash; the current version when nil.
    /// - Throws: ``StorageError/Code/notFound``.
    func find(_ id: String, version: String? = nil) async throws -> PromptEdition {
        guard version == nil else { return try Self.choose(version, of: try await editions(of: id), id) }
        guard let current = try await current(id) else { throw Self.unknown(id) }
        return current
    }

    private func current(_ id: String) async throws -> PromptEdition? {
        try await store.latest(id).flatMap { self.edition($0) } ?? curated[id]
    }

    private static func unknown(_ id: String) -> StorageError {
        StorageError(.notFound, "there is no prompt \"\(id.prefix(64))\"")
    }

    /// Returns all versions of a prompt, latest first.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    func editions(of id: String) async throws -> [PromptEdition] {
        let stored = try await store.versions(of: id).compactMap { edition($0) }
        let editions = stored + [curated[id]].compactMap { $0 }
        guard !editions.isEmpty else { throw Self.unknown(id) }
        return editions
    }

    /// Stores a version, or a new prompt.
    ///
    /// - Returns: The edition, and whether the prompt is new.
    /// - Throws: ``PromptError``; ``StorageError/Code/conflict`` when `base` is no longer the current version.
    func save(_ id: String, _ change: PromptChange) async throws -> (edition: PromptEdition, isNew: Bool) {
        let known = try await current(id)
        let document = try document(id, change, known?.document)
        let edition = PromptEdition(document)
        // A repeated change is equal, whatever version it began from.
        if let known, known.hash == edition.hash { return (known, false) }
        let stored = try await store.save(
            id, document: document.text, hash: edition.hash, base: change.base, original: curated[id]?.hash)
        guard let saved = self.edition(stored) else {
            throw StorageError(.failed, "the prompt \"\(id)\" cannot be read back")
        }
        return (saved, known == nil)
    }

    /// Deletes an own prompt with its versions; a curated one returns to its original.
    ///
    /// - Throws: ``StorageError/Code/notFound``; ``StorageError/Code/conflict`` for a curated prompt without own versions.
    func delete(_ id: String) async throws -> DeletedPromptResponse {
        let isCurated = curated[id] != nil
        guard try await store.delete(id) else {
            throw isCurated
                ? StorageError(.conflict, "the prompt \"\(id)\" comes with the gateway and has no own version")
                : Self.unknown(id)
        }
        return DeletedPromptResponse(status: isCurated ? "restored" : "deleted", id: id)
    }

    /// Compares two versions.
    ///
    /// - Parameters:
    ///   - from: The older version; the one before `to` when nil.
    ///   - to: The newer version; the current one when nil.
    /// - Throws: ``StorageError/Code/notFound``.
    func diff(_ id: String, from: String?, to: String?) async throws -> PromptDiff {
        let editions = try await editions(of: id)
        let newer = try Self.choose(to, of: editions, id)
        let before = editions.first { $0.number < newer.number } ?? newer
        let older = try from.map { try Self.choose($0, of: editions, id) } ?? before
        return PromptDiff(
            id: id, from: older.version, to: newer.version,
            lines: LineDiff.lines(from: older.document.text, to: newer.document.text))
    }

    private func edition(_ stored: StoredPrompt) -> PromptEdition? {
        guard let document = try? PromptDocument(parsing: stored.document), document.id == stored.id else { return nil }
        return PromptEdition(document, stored, replaces: curated[stored.id] != nil)
    }

    private static func choose(
        _ version: String?, of editions: [PromptEdition], _ id: String
    ) throws -> PromptEdition {
        guard let version else {
            if let latest = editions.first { return latest }
            throw unknown(id)
        }
        // A short text of digits is a number: hashes are asked for by more than four digits.
        let found =
            version.utf8.count <= 4 && Int(version) != nil
            ? editions.first { $0.number == Int(version) } : editions.first { $0.hash.hasPrefix(version.lowercased()) }
        guard let found, !version.isEmpty else {
            let numbers = editions.map { "\($0.number) (\($0.hash))" }.prefix(10).joined(separator: ", ")
            throw StorageError(
                .notFound, "the prompt \"\(id)\" has no version \"\(version.prefix(64))\"; it has \(numbers)")
        }
        return found
    }

    /// The prompt that a change describes, checked and in its normal form.
    private func document(
        _ id: String, _ change: PromptChange, _ known: PromptDocument?
    ) throws(PromptError) -> PromptDocument {
        guard let kind = PromptDocument.Kind(rawValue: change.kind) else {
            throw PromptError(
                "kind", "expected " + PromptDocument.Kind.allCases.map(\.rawValue).joined(separator: ", "))
        }
        guard let chat = ChatKind(rawValue: change.chat ?? ChatKind.ask.rawValue) else {
            throw PromptError("chat", "expected " + ChatKind.allCases.map(\.rawValue).joined(separator: ", "))
        }
        var draft = PromptDocument(
            id: id, title: change.title, kind: kind, purpose: change.purpose ?? "", chat: chat,
            body: PromptTemplate.normalized(change.text))
        if let variables = change.variables {
            draft.variables = variables.map { .init(name: $0.name, defaultValue: $0.defaultValue, meaning: $0.meaning) }
        } else {
            guard draft.body.utf8.count <= PromptDocument.Limits.body else {
                throw PromptError("text", "is longer than \(PromptDocument.Limits.body) bytes")
            }
            draft.variables = try PromptTemplate.names(in: draft.body).map { name in
                known?.variables.first { $0.name == name } ?? .init(name: name)
            }
        }
        try draft.check()
        return try PromptDocument(parsing: draft.text)
    }
}
