package import Access
import ChatRoom
import Facts
import GatewayAPI
import Inference
package import JobRoom
import Logging
import Search
import Storage

/// Reads what people wrote in chats for facts about them, each run once over all servers on the store.
///
/// A run is read from its question, never from the answer. What it says and that it was read are stored in one transaction, so
/// a process that is killed repeats nothing and loses nothing.
package struct MemoryLearner: Sendable {
    /// The runs that are looked up at once.
    private static let batch = 20
    /// The memories whose subject is read at once.
    private static let keyed = 200

    let engine: ChatEngine
    let embedder: MemoryEmbedder?
    let keys: KeyRing?
    private var store: MemoryRoom { engine.store.memories }

    /// Creates a learner.
    ///
    /// - Parameters:
    ///   - embedder: For near duplicates by meaning; nil for those by words only.
    ///   - keys: Checks and charges the key of a job that asks a model.
    package init(_ engine: ChatEngine, embedder: MemoryEmbedder?, keys: KeyRing?) {
        (self.engine, self.embedder, self.keys) = (engine, embedder, keys)
    }

    /// Whether runs wait, and the gateway reads them by itself.
    package func isDue() async throws -> Bool {
        guard engine.settings.remembers else { return false }
        return try await store.hasUnreadRuns()
    }

    /// Runs a job that reads the runs that ended since the last one. Returns its text.
    ///
    /// - Throws: ``StorageError``, `CancellationError`.
    package func work(_ job: StoredJob, _ report: @escaping @Sendable (JobProgress) -> Void) async throws -> String? {
        try await readSubjects()
        let total = try await store.unreadRunCount()
        var (done, counts) = (0, LearnedCounts())
        while true {
            let runs = try await store.unreadRuns(limit: Self.batch)
            guard !runs.isEmpty else { break }
            for run in runs {
                try Task.checkCancellation()
                if let learned = try await read(run, key: job.keyID) {
                    counts.added += learned.added
                    counts.updated += learned.updated
                    counts.superseded += learned.superseded
                }
                done += 1
                report(JobProgress(done: done, total: max(total, done)))
                await Task.yield()
            }
        }
        return "\(counts.added) added, \(counts.updated) updated, \(counts.superseded) superseded in \(done) messages"
    }

    /// Reads a run and keeps its facts. Returns nil when another server read it meanwhile.
    func read(_ run: UnreadRun, key: Int64? = nil) async throws -> LearnedCounts? {
        let facts = try await facts(in: run, key: key)
        let cosines = try await cosines(of: facts)
        return try await store.learn(facts.map(\.learned), from: run) { index, known in
            FactMerge.decide(
                facts[index].fact,
                known: known.map { KnownFact(id: $0.id, key: $0.key, value: $0.value, content: $0.content) },
                cosines: cosines[index]
            ).decision
        }
    }

    /// A fact with its row.
    private struct Found: Sendable {
        var fact: PersonFact
        var learned: LearnedFact
    }

    private func facts(in run: UnreadRun, key: Int64?) async throws -> [Found] {
        let options = RunPlan.Options(stored: run.request)
        guard options.remembers == true, !run.question.isEmpty, try await !MemoryChoice(engine).isPrivate(run) else {
            return []
        }
        var facts = FactFinder().find(in: run.question).map { ($0, MemoryDetails.Origin.rules) }
        if let model = MemoryModel(engine, keys: keys) {
            facts += try await model.proposals(for: run, besides: facts.map(\.0), key: key).map { ($0, .model) }
        }
        let held = facts.filter { $0.0.change == .holds }
        let vectors = try await embedder?.vectors(held.map(\.0.content)) ?? held.map { _ in nil }
        var places = zip(held, vectors).map { ($0.0.0.content, $0.1) }[...]
        return facts.map { fact, origin in
            var vector: [Float]?
            if fact.change == .holds { vector = places.popFirst()?.1 }
            return Found(
                fact: fact,
                learned: LearnedFact(
                    kind: fact.kind.rawValue, key: fact.key, value: fact.value, isSingle: fact.isSingle,
                    content: fact.content, type: fact.kind.memoryType, confidence: fact.confidence, origin: origin,
                    source: fact.source, range: fact.range, vector: vector))
        }
    }

    /// How alike memories and each fact are.
    private func cosines(of facts: [Found]) async throws -> [[Int64: Double]] {
        var all: [[Int64: Double]] = []
        for fact in facts {
            var cosines: [Int64: Double] = [:]
            if let vector = fact.learned.vector, let retrieval = engine.memories {
                var query = MemoryRetrieval.Query()
                query.vector = vector
                query.limit = 8
                do {
                    for hit in try await retrieval.retrieve(query).results { cosines[hit.memory.id] = hit.similarity }
                } catch {
                    try Task.checkCancellation()
                }
            }
            all.append(cosines)
        }
        return all
    }

    /// Reads the subjects of memories that a person or another program wrote, so that they can be compared.
    private func readSubjects() async throws {
        var last = Int64.min
        while true {
            try Task.checkCancellation()
            let memories = try await store.unkeyed(after: last, limit: Self.keyed)
            guard let end = memories.last else { return }
            try await store.key(
                memories.map { memory in
                    let fact = MemoryReader.read(memory.content)
                    return (
                        memory.id, memory.content, fact.map { ($0.kind.rawValue, $0.key, $0.value, $0.isSingle) }
                    )
                })
            last = end.id
            await Task.yield()
        }
    }
}

extension FactDecision {
    /// The same for the store.
    fileprivate var decision: MemoryDecision {
        switch self {
        case .add: .add
        case .update(let id): .update(id)
        case .supersede(let ids, let reason): .supersede(ids, reason: reason)
        case .end(let ids, let reason): .end(ids, reason: reason)
        case .nothing: .nothing
        }
    }
}
