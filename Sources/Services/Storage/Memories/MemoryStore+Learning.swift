import ChatRoom
import Database
import GRDB
package import GatewayAPI

/// A run that has ended and was not read for memories.
package struct UnreadRun: Sendable {
    package var number: Int64
    package var id: String
    package var session: String
    package var question: String
    /// See ``ChatRunDraft/request``.
    package var request: String
    package var model: String
    /// The message with the question.
    package var message: Int64?
    /// The notes in its passages.
    package var notes: [Int64]
}

/// Something that a person said about themselves.
package struct LearnedFact: Sendable {
    package var kind: String
    package var key: String
    package var value: String
    package var isSingle: Bool
    package var content: String
    package var type: String
    package var confidence: Double
    package var origin: MemoryDetails.Origin
    /// The sentence, and its UTF-8 bytes in the message.
    package var source: String
    package var range: Range<Int>
    package var vector: [Float]?

    package init(
        kind: String, key: String, value: String, isSingle: Bool, content: String, type: String, confidence: Double,
        origin: MemoryDetails.Origin, source: String, range: Range<Int>, vector: [Float]? = nil
    ) {
        self.kind = kind
        self.key = key
        self.value = value
        self.isSingle = isSingle
        self.content = content
        self.type = type
        self.confidence = confidence
        self.origin = origin
        self.source = source
        self.range = range
        self.vector = vector
    }
}

/// A memory with its subject.
package struct KnownMemory: Sendable {
    package var id: Int64
    package var content: String
    /// The subject; nil when it could not be read.
    package var key: String?
    package var value: String
    package var state: MemoryDetails.State
}

/// What becomes of a fact among the memories.
package enum MemoryDecision: Sendable {
    case add
    case update(Int64)
    case supersede([Int64], reason: String)
    case end([Int64], reason: String)
    case nothing
}

/// What a run changed.
package struct LearnedCounts: Sendable, Hashable {
    package var added = 0
    package var updated = 0
    package var superseded = 0

    package init() {}
}

/// Follows the runs that ended, each once over all servers on the file.
extension MemoryStore {
    /// The most memories that are compared with a new fact, newest first.
    package static let maxKnown = 5000
    /// The most memories that the gateway keeps by itself; it adds no further ones.
    package static let maxLearned = 5000

    private static let isUnread = """
        r.owner IS NULL AND typeof(r.number) = 'integer'
        AND (r.number > coalesce((SELECT number FROM gateway_memory_cursor WHERE id = 1), 0)
            OR r.number IN (SELECT number FROM gateway_memory_waiting))
        """

    /// Whether runs wait to be read.
    package func hasUnreadRuns() async throws -> Bool {
        try await database.read { database in
            try database.compiledRow("SELECT 1 FROM gateway_chat_runs r WHERE \(Self.isUnread) LIMIT 1") != nil
        }
    }

    /// Counts the runs that wait to be read.
    package func unreadRunCount() async throws -> Int {
        try await database.read { database in
            try Scalar.count(database, sql: "SELECT count(*) FROM gateway_chat_runs r WHERE \(Self.isUnread)") ?? 0
        }
    }

    /// Returns runs that have ended and were not read, oldest first.
    package func unreadRuns(limit: Int) async throws -> [UnreadRun] {
        try await database.snapshot { session in
            let numbers = try session.rows(
                "SELECT r.number, r.id FROM gateway_chat_runs r WHERE \(Self.isUnread) ORDER BY r.number LIMIT $1",
                [.count(limit)])
            return try numbers.compactMap { row in
                guard let number = row.integer(0) else { return nil }
                let stored = try row.text(1).flatMap { try AnswerRoom.find($0, session) }
                // A row that cannot be read says nothing, and is passed.
                return UnreadRun(
                    number: number, id: stored?.id ?? "", session: stored?.session ?? "",
                    question: stored?.question ?? "", request: stored?.request ?? "{}", model: stored?.model ?? "",
                    message: stored?.userMessage, notes: stored?.record.passages.compactMap(\.note) ?? [])
            }
        }
    }

    /// Keeps the facts of a run, and that it was read, in one transaction. A run that was read before changes nothing.
    ///
    /// - Parameters:
    ///   - isStillThere: false keeps only that the run was read.
    ///   - decide: What becomes of the fact with a number among the known memories, newest first. It must be quick.
    /// - Returns: What changed; nil when the run was read before, or its session was deleted.
    package func learn(
        _ facts: [LearnedFact], from run: UnreadRun,
        decide: @escaping @Sendable (_ fact: Int, _ known: [KnownMemory]) -> MemoryDecision
    ) async throws -> LearnedCounts? {
        try await database.write { database, layout in
            guard try MemoryLearning.take(run.number, database) else { return nil }
            guard !facts.isEmpty,
                try Scalar.count(
                    database, sql: "SELECT 1 FROM gateway_chat_runs WHERE id = ? AND number = ?",
                    arguments: [run.id, run.number]) != nil
            else { return LearnedCounts() }
            var learning = try MemoryLearning(run, layout, database)
            for (index, fact) in facts.enumerated() {
                try learning.keep(fact, decide(index, learning.known), database)
            }
            return learning.counts
        }
    }

    /// Returns memories whose subject was not read, by id.
    package func unkeyed(after id: Int64, limit: Int) async throws -> [(id: Int64, content: String)] {
        try await database.read { database, layout in
            let rows = MemoryRows(table: layout.schema.memories)
            return try rows.fetch(
                database, "m.id > ? AND (d.memory_id IS NULL OR d.is_read = 0) ORDER BY m.id LIMIT ?", [id, limit],
                embeddings: false
            ).map { ($0.item.id, $0.item.content) }
        }
    }

    /// Keeps the subjects of memories.
    package func key(
        _ read: [(id: Int64, content: String, fact: (kind: String, key: String, value: String, isSingle: Bool)?)]
    ) async throws {
        try await database.writeRelaxed { database in
            for one in read {
                try database.execute(
                    sql: """
                        INSERT INTO gateway_memory_details (memory_id, keyed) VALUES (?1, ?2)
                        ON CONFLICT (memory_id) DO UPDATE SET
                            state = iif(keyed = ?2, state, 'active'), is_pinned = iif(keyed = ?2, is_pinned, 0),
                            origin = iif(keyed = ?2, origin, 'other'), run_id = iif(keyed = ?2, run_id, NULL),
                            reason = iif(keyed = ?2, reason, NULL),
                            superseded_by = iif(keyed = ?2, superseded_by, NULL), keyed = ?2
                        """, arguments: [one.id, one.content])
                try database.execute(
                    sql: """
                        UPDATE gateway_memory_details SET is_read = 1, kind = ?, key = ?, value = ?, is_single = ?
                        WHERE memory_id = ?
                        """,
                    arguments: [
                        one.fact?.kind, one.fact?.key, one.fact?.value ?? "", one.fact?.isSingle ?? false, one.id,
                    ])
            }
        }
    }

    /// Returns the memories that chats always get: those that a person pinned, then those of some subjects. Nil when
    /// there are no memories at all.
    package func always(keys: [String], limit: Int) async throws -> [Memory]? {
        try await database.read { database, layout in
            let table = layout.schema.memories
            guard table.names.contains("id"),
                try database.compiledRow("SELECT 1 FROM conversation_memories LIMIT 1") != nil
            else { return nil }
            return try MemoryRows(table: table).fetch(
                database,
                """
                d.state = 'active' AND (d.is_pinned = 1 OR d.key IN (\(databaseQuestionMarks(count: keys.count))))
                ORDER BY d.is_pinned DESC, m.id DESC LIMIT ?
                """, StatementArguments(keys) + [limit], embeddings: false
            ).map(\.item)
        }
    }
}

/// The facts of one run among the memories, within a transaction.
struct MemoryLearning {
    private let run: UnreadRun
    private let rows: MemoryRows
    private(set) var known: [KnownMemory]
    private var room: Int
    private(set) var counts = LearnedCounts()

    init(_ run: UnreadRun, _ layout: FileLayout, _ database: Database) throws {
        self.run = run
        rows = MemoryRows(table: layout.schema.memories)
        let learned = try Scalar.count(
            database,
            sql: "SELECT count(*) FROM gateway_memory_details WHERE origin <> 'other' AND state <> 'superseded'")
        room = MemoryStore.maxLearned - (learned ?? 0)
        var known: [KnownMemory] = []
        try rows.forEach(
            database, "coalesce(d.state, 'active') <> 'superseded' ORDER BY m.id DESC LIMIT ?", [MemoryStore.maxKnown],
            embeddings: false
        ) { memory, _, _ in
            known.append(
                KnownMemory(
                    id: memory.id, content: memory.content, key: memory.details?.key, value: "",
                    state: memory.details?.state ?? .active))
            return true
        }
        let values = try Row.fetchAll(
            database, sql: "SELECT memory_id, value FROM gateway_memory_details WHERE key IS NOT NULL"
        )
        .reduce(into: [Int64: String]()) { values, row in
            if let id = row.integer(0) { values[id] = row.text(1) }
        }
        for index in known.indices { known[index].value = values[known[index].id] ?? "" }
        self.known = known
    }

    /// Takes a run, so that no other server reads it. Returns false when it was read.
    static func take(_ number: Int64, _ database: Database) throws -> Bool {
        let cursor = try Scalar.integer(database, sql: "SELECT number FROM gateway_memory_cursor WHERE id = 1") ?? 0
        if number <= cursor {
            try database.execute(sql: "DELETE FROM gateway_memory_waiting WHERE number = ?", arguments: [number])
            return database.changesCount > 0
        }
        // Runs that go on while this one has ended are read when they end.
        try database.execute(
            sql: """
                INSERT OR IGNORE INTO gateway_memory_waiting (number) SELECT number FROM gateway_chat_runs
                WHERE typeof(number) = 'integer' AND number > ? AND number < ?
                """, arguments: [cursor, number])
        try database.execute(
            sql: """
                INSERT INTO gateway_memory_cursor (id, number) VALUES (1, ?1)
                ON CONFLICT (id) DO UPDATE SET number = ?1
                """, arguments: [number])
        try database.execute(
            sql: "DELETE FROM gateway_memory_waiting WHERE number NOT IN (SELECT number FROM gateway_chat_runs)")
        return true
    }

    /// Carries out a decision about a fact. What a model found only becomes a proposal.
    mutating func keep(_ fact: LearnedFact, _ decision: MemoryDecision, _ database: Database) throws {
        let isProposal = fact.origin == .model
        switch decision {
        case .nothing: return
        case .add: try add(fact, database)
        case .update(let id) where !isProposal:
            guard let memory = try rows.find(database, id) else { return }
            try MemoryChanges.keep(.update, of: memory, reason: "says more", database)
            var change = MemoryUpdate(content: fact.content)
            if let vector = fact.vector { change.embedding = .set(VectorValue(vector)) }
            _ = try rows.update(database, id, change)
            try describe(fact, id, state: .active, database)
            counts.updated += 1
            if let place = known.firstIndex(where: { $0.id == id }) {
                known[place].content = fact.content
                known[place].value = fact.value
                known[place].key = fact.key
            }
        case .supersede(let ids, let reason) where !isProposal:
            guard let id = try add(fact, database) else { return }
            for old in ids { try end(old, by: id, reason, database) }
        case .end(let ids, let reason) where !isProposal:
            for old in ids { try end(old, by: nil, reason, database) }
        case .update, .supersede: try add(fact, database)
        case .end: return
        }
    }

    @discardableResult
    private mutating func add(_ fact: LearnedFact, _ database: Database) throws -> Int64? {
        guard room > 0 else { return nil }
        room -= 1
        let memory = try rows.insert(
            database,
            NewMemory(
                content: fact.content, type: fact.type, confidence: fact.confidence, sourceSessionID: run.session,
                embedding: fact.vector))
        let state: MemoryDetails.State = fact.origin == .model ? .proposed : .active
        try describe(fact, memory.id, state: state, database)
        try MemoryChanges.keep(.add, of: memory, database)
        known.insert(
            KnownMemory(id: memory.id, content: fact.content, key: fact.key, value: fact.value, state: state), at: 0)
        counts.added += 1
        return memory.id
    }

    private func describe(
        _ fact: LearnedFact, _ id: Int64, state: MemoryDetails.State, _ database: Database
    ) throws {
        let pinned = try Scalar.integer(
            database, sql: "SELECT is_pinned FROM gateway_memory_details WHERE memory_id = ?", arguments: [id])
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO gateway_memory_details
                    (memory_id, keyed, kind, key, value, is_single, state, is_pinned, origin, run_id, session_id, message_id,
                    source, start, stop)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                id, fact.content, fact.kind, fact.key, fact.value, fact.isSingle, state.rawValue, pinned ?? 0,
                fact.origin.rawValue, run.id, run.session, run.message, fact.source, fact.range.lowerBound,
                fact.range.upperBound,
            ])
    }

    private mutating func end(_ id: Int64, by new: Int64?, _ reason: String, _ database: Database) throws {
        guard try Self.supersede(id, by: new, reason: reason, rows, database) else { return }
        known.removeAll { $0.id == id }
        counts.superseded += 1
    }

    /// Marks a memory as superseded; the other program's row stays. Returns false when it does not exist.
    @discardableResult
    static func supersede(
        _ id: Int64, by new: Int64?, reason: String, _ rows: MemoryRows, _ database: Database
    ) throws -> Bool {
        guard let memory = try rows.find(database, id) else { return false }
        try MemoryChanges.keep(.supersede, of: memory, reason: reason, database)
        try database.execute(
            sql: """
                INSERT INTO gateway_memory_details (memory_id, keyed, state, reason, superseded_by)
                VALUES (?1, ?2, 'superseded', ?3, ?4)
                ON CONFLICT (memory_id) DO UPDATE SET
                    keyed = ?2, state = 'superseded', reason = ?3, superseded_by = ?4
                """, arguments: [id, memory.content, reason, new])
        return true
    }
}
