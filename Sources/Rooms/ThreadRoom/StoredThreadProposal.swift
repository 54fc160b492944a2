import Database
package import GatewayAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A proposal as it is stored: with the ids of all its notes.
package struct StoredThreadProposal: Sendable, Hashable {
    package struct Part: Codable, Sendable, Hashable {
        /// The name of the thread that the part becomes.
        package var name: String
        /// The notes, most typical first.
        package var notes: [Int64]

        package init(name: String, notes: [Int64]) {
            self.name = name
            self.notes = notes
        }
    }

    /// The proposal's id; 0 for one that is not stored yet.
    package var id: Int64 = 0
    package var kind: ThreadProposal.Kind
    package var state: ThreadProposal.State = .open
    /// The existing thread.
    package var thread: Int64?
    package var name: String
    package var summary: String
    package var why: String
    package var parts: [Part]
    /// What a model phrased.
    package var phrasing: StoredPhrasing?
    /// The threads that accepting it made.
    package var madeThreads: [Int64]?
    /// When it was made, in seconds since 1970.
    package var createdAt: Int64 = 0
    package var updatedAt: Int64 = 0

    package init(
        kind: ThreadProposal.Kind, thread: Int64?, name: String, summary: String, why: String, parts: [Part]
    ) {
        self.kind = kind
        self.thread = thread
        self.name = name
        self.summary = summary
        self.why = why
        self.parts = parts
    }

    /// The columns that ``init(_:)`` reads, in their order.
    static func columns(_ words: SQLDialect) -> String {
        """
        id, kind, state, thread_id, \(words.bounded("name", 4096)), \(words.bounded("summary", 65_536)),
        \(words.bounded("why", 65_536)), \(words.bounded("parts", 1 << 20)), \(words.bounded("phrasing", 65_536)),
        \(words.bounded("made_threads", 65_536)), created_at, updated_at
        """
    }

    /// Reads a row; nil for one that this version cannot read.
    init?(_ row: SQLRow) {
        guard let id = row.integer(0), let kind = row.text(1).flatMap(ThreadProposal.Kind.init),
            let state = row.text(2).flatMap(ThreadProposal.State.init), let text = row.text(7),
            let parts = try? JSONDecoder().decode([Part].self, from: Data(text.utf8))
        else { return nil }
        self.id = id
        self.kind = kind
        self.state = state
        thread = row.integer(3)
        name = row.text(4) ?? ""
        summary = row.text(5) ?? ""
        why = row.text(6) ?? ""
        self.parts = parts
        phrasing = row.text(8).flatMap { try? JSONDecoder().decode(StoredPhrasing.self, from: Data($0.utf8)) }
        madeThreads = row.text(9).flatMap { try? JSONDecoder().decode([Int64].self, from: Data($0.utf8)) }
        createdAt = row.integer(10) ?? 0
        updatedAt = row.integer(11) ?? 0
    }

    /// The parts as JSON.
    var encodedParts: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(parts), as: UTF8.self)
        }
    }
}
