import ThreadRoom
import AssociationRoom
import Foundation
import GRDB
import GatewayAPI
import Goals
import JobRoom
import Machine
import Notes
import Retrieval
import Schedules
import Storage
import Synchronization

/// Measures the grouping of notes and the search for threads: `ThreadsBench NOTES [DIMENSIONS]`.
///
/// The notes are of 100 to a subject, and each has ten pairs within its subject, stored as the job of similar pairs stores
/// them. The full run groups all of them. Then 100 notes come, half of them to known subjects: their neighbours are searched among
/// all vectors, and the groups around them are made anew. Prints one line of JSON; seconds are of the clock and of the processor.
@main
struct ThreadsBench {
    static let perSubject = 100
    static let added = 100

    static func main() async throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap(Int.init)
        guard let count = numbers.first, count >= 1000 else {
            FileHandle.standardError.write(Data("usage: ThreadsBench NOTES [DIMENSIONS]\n".utf8))
            exit(64)
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "selene-threads-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try GatewayDatabase(path: folder.appending(path: "notes.sqlite").path)
        try fill(database.path, 1...count, withPairs: true)
        let subjects = (count + perSubject - 1) / perSubject
        let vectors = try Vectors(dimensions: numbers.count > 1 ? numbers[1] : 768, subjects: subjects)
        try vectors.add(1...count)
        let index = vectors.index

        let changed = Mutex<Set<Int64>?>(nil)
        guard let rule = DayRule(zone: .utc) else { return }
        let service = ThreadService(store: database, rule: rule) { _, _, _ in
            let notes = changed.withLock { $0 }
            if let notes {
                var pairs: [NotePair] = []
                try await index.nearPairs(NearPairOptions(), of: notes) { block in
                    pairs += block.pairs.map {
                        NotePair(first: $0.first, second: $0.second, similarity: Double($0.similarity))
                    }
                }
                try await database.associations.replace(pairs, of: notes.sorted())
            }
            return (notes, ThreadGroupState(space: 1, position: 1, isGrouped: false))
        }
        let full = try await measured(service, database)
        let again = try await measured(service, database)
        let new = Int64(count + 1)...Int64(count + added)
        try fill(database.path, Int(new.lowerBound)...Int(new.upperBound), withPairs: false)
        try vectors.add(Int(new.lowerBound)...Int(new.upperBound))
        changed.withLock { $0 = Set(new) }
        let incremental = try await measured(service, database)
        let figures: [String: Any] = [
            "notes": count, "full": full.seconds, "full_cpu": full.processor, "again": again.seconds,
            "added": incremental.seconds, "added_cpu": incremental.processor, "message": incremental.message,
        ]
        let line = try JSONSerialization.data(withJSONObject: figures, options: .sortedKeys)
        print(String(decoding: line, as: UTF8.self))
    }

    private static func measured(
        _ service: ThreadService, _ database: GatewayDatabase
    ) async throws -> (seconds: Double, processor: Double, message: String) {
        let worker = WorkerName()
        let job = try await database.jobs.begin(kind: .threads, parameters: "{}", as: worker).job
        let (started, used) = (ContinuousClock.now, clock())
        let message = try await service.work(job) { _ in }
        let seconds = (ContinuousClock.now - started) / .seconds(1)
        let processor = Double(clock() - used) / Double(CLOCKS_PER_SEC)
        try await database.jobs.end(job.id, .done, message: message, as: worker)
        return (seconds, processor, message ?? "")
    }

    /// Stores notes, each with the words of its subject, in the order of their ids.
    private static func fill(_ path: String, _ ids: ClosedRange<Int>, withPairs: Bool) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { rows in
            let note = try rows.makeStatement(
                sql: "INSERT INTO raw_notes (id, title, content, created_at) VALUES (?, ?, ?, ?)")
            let pair = try rows.makeStatement(
                sql: "INSERT OR IGNORE INTO note_associations (note_a_id, note_b_id, similarity) VALUES (?, ?, ?)")
            for id in ids {
                let subject = id / perSubject
                let day = Timestamp.text(1_700_000_000 + Int64(id) * 600)
                try note.execute(
                    arguments: [
                        id, "subject\(subject) note \(id)", "Some words about subject\(subject) and others", day,
                    ])
                guard withPairs else { continue }
                for step in 1...10 {
                    let other = subject * perSubject + (id + step * step) % perSubject
                    guard other != id, ids.contains(other) else { continue }
                    try pair.execute(arguments: [min(id, other), max(id, other), 0.7 + Double((id + other) % 29) / 100])
                }
            }
        }
        try queue.close()
    }
}

/// Vectors around the centres of subjects.
private final class Vectors {
    let index: HybridIndex
    private var random = SplitMix(state: 7)
    private let centres: [[Float]]
    private let dimensions: Int

    init(dimensions: Int, subjects: Int) throws {
        self.dimensions = dimensions
        index = HybridIndex(dimensions: dimensions)
        var random = SplitMix(state: 3)
        centres = (0...subjects).map { _ in (0..<dimensions).map { _ in random.next() } }
    }

    func add(_ ids: ClosedRange<Int>) throws {
        for start in stride(from: ids.lowerBound, through: ids.upperBound, by: 1000) {
            var update = IndexUpdate()
            for id in start...min(start + 999, ids.upperBound) {
                update.documents.append(RetrievalDocument(id: Int64(id), title: "", text: ""))
                let centre = centres[id / ThreadsBench.perSubject % centres.count]
                update.vectors.append(
                    VectorEntry(id: Int64(id), values: centre.map { $0 + 0.5 * random.next() }))
            }
            try index.apply(update)
        }
    }
}

/// Generates pseudo-random numbers from -1 to 1, the same in every run.
private struct SplitMix {
    var state: UInt64

    mutating func next() -> Float {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Float((mixed ^ (mixed >> 31)) >> 40) / Float(1 << 23) - 1
    }
}
