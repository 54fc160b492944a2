import GRDB
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

    /// The columns that ``init(_:)`` reads.
    static let columns = """
        id, kind, state, thread_id, \(ValueLimit.bounded("name", 4096)) AS name,
        \(ValueLimit.bounded("summary", 65_536)) AS summary, \(ValueLimit.bounded("why", 65_536)) AS why,
        \(ValueLimit.bounded("parts", 1 << 20)) AS parts, \(ValueLimit.bounded("made_threads", 65_536)) AS made_threads,
        \(ValueLimit.bounded("phrasing", 65_536)) AS phrasing, created_at, updated_at
        """

    /// Reads a row; nil for one that this version cannot read.
    init?(_ row: Row) {
        guard let id = row.integer("id"), let kind = row.text("kind").flatMap(ThreadProposal.Kind.init),
            let state = row.text("state").flatMap(ThreadProposal.State.init), let text = row.text("parts"),
            let parts = try? JSONDecoder().decode([Part].self, from: Data(text.utf8))
        else { return nil }
        self.id = id
        self.kind = kind
        self.state = state
        thread = row.integer("thread_id")
        name = row.text("name") ?? ""
        summary = row.text("summary") ?? ""
        why = row.text("why") ?? ""
        self.parts = parts
        phrasing = row.text("phrasing").flatMap {
            try? JSONDecoder().decode(StoredPhrasing.self, from: Data($0.utf8))
        }
        madeThreads = row.text("made_threads").flatMap {
            try? JSONDecoder().decode([Int64].self, from: Data($0.utf8))
        }
        createdAt = row.integer("created_at") ?? 0
        updatedAt = row.integer("updated_at") ?? 0
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
