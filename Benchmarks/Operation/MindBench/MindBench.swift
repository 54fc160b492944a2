import ChatRoom
import Facts
import Foundation
import GRDB
import GatewayAPI
import Goals
import JobRoom
import Machine
import Notes
import Schedules
import Storage

/// Measures the briefing, the search for tasks and the merge of memories: `MindBench COUNT`.
///
/// There are COUNT notes of the last 80 days with ten pairs each, a thread for each 500 of them, and as many memories, all written
/// as another program writes them. One of four notes has a task. 200 questions that say something about the person are read and
/// merged with the memories. Prints one line of JSON; seconds are of the clock.
@main
struct MindBench {
    private static let added = 100
    private static let questions = 200
    private static let now: Int64 = 1_790_000_000
    private static let sentences = [
        "It rained all morning and the harbour was empty.", "Die Mauer war feucht und kalt.",
        "The choir sang better than last week.", "Anna rief an und erzählte von Leipzig.",
        "The bread rose slowly, the starter is tired.",
    ]
    private static let tasks = [
        "I need to call the surveyor by Friday.", "Bis Freitag den Gutachter anrufen.", "- [ ] buy new strings",
    ]

    static func main() async throws {
        let count = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 0
        guard count >= 1000, let rule = DayRule(zone: .utc) else {
            FileHandle.standardError.write(Data("usage: MindBench COUNT (1000 or more)\n".utf8))
            exit(64)
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "selene-mind-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try GatewayDatabase(path: folder.appending(path: "notes.sqlite").path)
        try fill(database.path, notes: 1...count, withPairs: true, memories: count)
        var figures: [String: Any] = ["count": count]

        let actions = ActionsService(store: database, rule: rule, firstWeekday: 1) { Instant(seconds: now) }
        figures["actions"] = try await seconds {
            try await run(.actions, database) { try await actions.work($0) { _ in } }
        }
        figures["actions_again"] = try await seconds {
            try await run(.actions, database) { try await actions.work($0) { _ in } }
        }
        try fill(database.path, notes: count + 1...count + added, withPairs: true, memories: 0)
        figures["actions_added"] = try await seconds {
            try await run(.actions, database) { try await actions.work($0) { _ in } }
        }

        let briefings = BriefingService(store: database, rule: rule, now: { Instant(seconds: now) })
        figures["briefing"] = try await seconds { _ = try await briefings.make(again: true) }
        figures["briefing_again"] = try await seconds { _ = try await briefings.make(again: false) }

        try await ask(database)
        figures["memories_read"] = try await seconds { try await readSubjects(database) }
        var merged = 0
        let merging = try await seconds { merged = try await merge(database) }
        figures["memories_merge_ms"] = merging * 1000 / Double(max(1, merged))
        figures["memories_merged"] = merged
        let line = try JSONSerialization.data(withJSONObject: figures, options: .sortedKeys)
        print(String(decoding: line, as: UTF8.self))
        try database.close()
    }

    private static func seconds(_ body: () async throws -> Void) async throws -> Double {
        let started = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - started) / .seconds(1)
    }

    private static func run(
        _ kind: Job.Kind, _ database: GatewayDatabase, _ work: (StoredJob) async throws -> String?
    ) async throws {
        let worker = WorkerName()
        let job = try await database.jobs.begin(kind: kind, parameters: "{}", as: worker).job
        let message = try await work(job)
        try await database.jobs.end(job.id, .done, message: message, as: worker)
    }

    private static func fill(
        _ path: String, notes: ClosedRange<Int>, withPairs: Bool, memories: Int
    ) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { rows in
            let note = try rows.makeStatement(
                sql: "INSERT INTO raw_notes (id, title, content, created_at) VALUES (?, ?, ?, ?)")
            let pair = try rows.makeStatement(
                sql: "INSERT OR IGNORE INTO note_associations (note_a_id, note_b_id, similarity) VALUES (?, ?, ?)")
            let thread = try rows.makeStatement(
                sql: "INSERT INTO threads (id, name, status, created_at) VALUES (?, ?, 'active', ?)")
            let member = try rows.makeStatement(sql: "INSERT INTO thread_notes (thread_id, note_id) VALUES (?, ?)")
            let memory = try rows.makeStatement(
                sql:
                    "INSERT INTO conversation_memories (content, type, confidence, created_at) VALUES (?, 'fact', 0.9, ?)"
            )
            for id in notes {
                let day = Timestamp.text(now - Int64(id * 7919 % 80) * 86_400 - Int64(id % 3600))
                var lines = [sentences[id % 5], sentences[(id / 5) % 5]]
                lines.append(id % 4 == 0 ? tasks[id / 4 % 3] : sentences[(id / 25) % 5])
                try note.execute(arguments: [id, "Note \(id)", lines.joined(separator: "\n"), day])
                if id % 500 == 1 { try thread.execute(arguments: [id, "Thread \(id)", day]) }
                if id % 2 == 0 { try member.execute(arguments: [id - (id - 1) % 500, id]) }
                guard withPairs else { continue }
                for step in 1...10 where id - step * step > 0 {
                    try pair.execute(arguments: [id - step * step, id, 0.7 + Double((id + step) % 29) / 100])
                }
            }
            for number in 0..<memories {
                let text = number % 3 == 0 ? "Likes fruit number \(number)" : "Works with tool number \(number)"
                try memory.execute(arguments: [text, Timestamp.text(now - Int64(memories - number))])
            }
        }
        try queue.close()
    }

    /// Stores questions whose runs have ended.
    private static func ask(_ database: GatewayDatabase) async throws {
        let worker = WorkerName()
        for number in 0..<questions {
            let draft = ChatRunDraft(
                id: "r\(number)", session: "s\(number % 10)", parent: .keep,
                question: "I live in Town\(number % 3)x. I use Tool\(number). I like fruit number \(number % 50).",
                model: "m", request: #"{"kind":"ask","tools":true,"strict":false,"limit":6,"remembers":true}"#, key: nil
            )
            _ = try await database.answers.begin(draft, title: "t", as: worker) { _ in true }
            _ = try await database.answers.end(
                draft.id, ChatRunProgress(state: .done, text: "Noted.", record: ChatRecord()), as: worker)
        }
    }

    /// Reads the subjects of the memories, as the job does before it merges.
    private static func readSubjects(_ database: GatewayDatabase) async throws {
        var last = Int64.min
        while true {
            let memories = try await database.memories.unkeyed(after: last, limit: 200)
            guard let end = memories.last else { return }
            try await database.memories.key(
                memories.map { memory in
                    let fact = MemoryReader.read(memory.content)
                    return (memory.id, memory.content, fact.map { ($0.kind.rawValue, $0.key, $0.value, $0.isSingle) })
                })
            last = end.id
        }
    }

    /// Finds and merges the facts of all questions, one transaction each. Returns the number of questions.
    private static func merge(_ database: GatewayDatabase) async throws -> Int {
        var merged = 0
        while true {
            let runs = try await database.memories.unreadRuns(limit: 20)
            guard !runs.isEmpty else { return merged }
            for run in runs {
                let facts = FactFinder().find(in: run.question)
                let learned = facts.map { fact in
                    LearnedFact(
                        kind: fact.kind.rawValue, key: fact.key, value: fact.value, isSingle: fact.isSingle,
                        content: fact.content, type: fact.kind.memoryType, confidence: fact.confidence, origin: .rules,
                        source: fact.source, range: fact.range)
                }
                _ = try await database.memories.learn(learned, from: run) { index, known in
                    let known = known.map {
                        KnownFact(id: $0.id, key: $0.key, value: $0.value, content: $0.content)
                    }
                    return switch FactMerge.decide(facts[index], known: known) {
                    case .add: .add
                    case .update(let id): .update(id)
                    case .supersede(let ids, let reason): .supersede(ids, reason: reason)
                    case .end(let ids, let reason): .end(ids, reason: reason)
                    case .nothing: .nothing
                    }
                }
                merged += 1
            }
        }
    }
}
