import Database
import GatewayAPI

/// The facts of one run among the memories, within a transaction.
struct MemoryLearning {
    private let run: UnreadRun
    private let rows: MemoryRows
    private(set) var known: [KnownMemory] = []
    private var room: Int
    private(set) var counts = LearnedCounts()

    init(_ run: UnreadRun, _ rows: MemoryRows) throws {
        (self.run, self.rows) = (run, rows)
        let learned = try rows.session.first(
            "SELECT count(*) FROM gateway_memory_details WHERE origin <> 'other' AND state <> 'superseded'")
        room = MemoryRoom.maxLearned - (learned?.count(0) ?? 0)
        var known: [KnownMemory] = []
        try rows.each(
            "coalesce(d.state, 'active') <> 'superseded' ORDER BY m.id DESC LIMIT $1", [.count(MemoryRoom.maxKnown)]
        ) { memory, _, value in
            known.append(
                KnownMemory(
                    id: memory.id, content: memory.content, key: memory.details?.key,
                    value: memory.details?.key == nil ? "" : value, state: memory.details?.state ?? .active))
        }
        self.known = known
    }

    /// Carries out a decision about a fact. What a model found only becomes a proposal.
    mutating func keep(_ fact: LearnedFact, _ decision: MemoryDecision) throws {
        let isProposal = fact.origin == .model
        switch decision {
        case .nothing: return
        case .add: try add(fact)
        case .update(let id) where !isProposal:
            guard let memory = try rows.find(id) else { return }
            try rows.keep(.update, of: memory, reason: "says more")
            var change = MemoryUpdate(content: fact.content)
            if let vector = fact.vector { change.embedding = .set(VectorValue(vector)) }
            _ = try rows.update(memory, change)
            try describe(fact, id, state: .active)
            counts.updated += 1
            if let place = known.firstIndex(where: { $0.id == id }) {
                known[place].content = fact.content
                known[place].value = fact.value
                known[place].key = fact.key
            }
        case .supersede(let ids, let reason) where !isProposal:
            guard let id = try add(fact) else { return }
            for old in ids { try end(old, by: id, reason) }
        case .end(let ids, let reason) where !isProposal:
            for old in ids { try end(old, by: nil, reason) }
        case .update, .supersede: try add(fact)
        case .end: return
        }
    }

    @discardableResult
    private mutating func add(_ fact: LearnedFact) throws -> Int64? {
        guard room > 0 else { return nil }
        room -= 1
        let memory = try rows.insert(
            NewMemory(
                content: fact.content, type: fact.type, confidence: fact.confidence, sourceSessionID: run.session,
                embedding: fact.vector))
        let state: MemoryDetails.State = fact.origin == .model ? .proposed : .active
        try describe(fact, memory.id, state: state)
        try rows.keep(.add, of: memory)
        known.insert(
            KnownMemory(id: memory.id, content: fact.content, key: fact.key, value: fact.value, state: state), at: 0)
        counts.added += 1
        return memory.id
    }

    /// Keeps what a fact says of a memory; a pin stays.
    private func describe(_ fact: LearnedFact, _ id: Int64, state: MemoryDetails.State) throws {
        let columns: [(name: String, value: SQLValue)] = [
            ("keyed", .text(fact.content)), ("is_read", .integer(1)), ("kind", .text(fact.kind)),
            ("key", .text(fact.key)), ("value", .text(fact.value)), ("is_single", .integer(fact.isSingle ? 1 : 0)),
            ("state", .text(state.rawValue)), ("origin", .text(fact.origin.rawValue)), ("run_id", .text(run.id)),
            ("session_id", .text(run.session)), ("message_id", .integer(run.message)), ("source", .text(fact.source)),
            ("start", .count(fact.range.lowerBound)), ("stop", .count(fact.range.upperBound)), ("reason", .text(nil)),
            ("superseded_by", .integer(nil)),
        ]
        try rows.session.run(
            """
            INSERT INTO gateway_memory_details (memory_id, \(columns.map(\.name).joined(separator: ", ")))
            VALUES ($1, \(columns.indices.map { "$\($0 + 2)" }.joined(separator: ", ")))
            ON CONFLICT (memory_id)
            DO UPDATE SET \(columns.map { "\($0.name) = excluded.\($0.name)" }.joined(separator: ", "))
            """, [.integer(id)] + columns.map(\.value))
    }

    private mutating func end(_ id: Int64, by new: Int64?, _ reason: String) throws {
        guard try rows.supersede(id, by: new, reason: reason) else { return }
        known.removeAll { $0.id == id }
        counts.superseded += 1
    }
}

extension MemoryRows {
    /// Marks a memory as superseded; its own row stays. Returns false when it does not exist.
    @discardableResult
    func supersede(_ id: Int64, by new: Int64?, reason: String) throws -> Bool {
        guard let memory = try find(id) else { return false }
        try keep(.supersede, of: memory, reason: reason)
        try session.run(
            """
            INSERT INTO gateway_memory_details (memory_id, keyed, state, reason, superseded_by)
            VALUES ($1, $2, 'superseded', $3, $4) ON CONFLICT (memory_id) DO UPDATE SET
                keyed = excluded.keyed, state = 'superseded', reason = excluded.reason,
                superseded_by = excluded.superseded_by
            """, [.integer(id), .text(memory.content), .text(reason), .integer(new)])
        return true
    }
}
