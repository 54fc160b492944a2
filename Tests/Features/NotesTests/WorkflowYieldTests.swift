import ThreadRoom
import Foundation
import GatewayAPI
import Goals
import JobRoom
import Machine
import Notes
import Storage
import TaskRoom
import Synchronization
import TestSupport
import Testing

/// Workflows leave the file to people between two batches: another program that waits for no lock can write each time.
@Suite struct WorkflowYields {
    /// Writes and reads as a person's request does. It fails at once while anybody holds the file.
    private static func request(_ diary: Diary, _ number: Int) throws {
        try diary.write(
            "INSERT INTO raw_notes (id, title, content, created_at) VALUES (\(100_000 + number), 'Now', 'I write', '2020-01-01')"
        )
        #expect(try diary.count("raw_notes") > number)
    }

    private static func notes(_ diary: Diary, _ ids: ClosedRange<Int>) throws {
        try diary.write(
            all: ids.map {
                "INSERT INTO raw_notes (id, title, content, created_at) VALUES (\($0), 'Note \($0)', 'Call person \($0) by Friday.', '2026-11-20 10:00:00')"
            })
    }

    @Test(.slow) func `tasks are found in batches, and between them people write`() async throws {
        let (diary, quiet) = (try Diary(), try Diary())
        for one in [diary, quiet] { try Self.notes(one, 1...450) }
        var drafts: [Set<String>] = []
        for one in [diary, quiet] {
            let service = ActionsService(store: one.database, rule: one.service.rule, firstWeekday: 1, now: one.now)
            let job = try await one.database.jobs.begin(kind: .actions, parameters: "{}", as: WorkerName()).job
            let reports = Mutex(0)
            let failures = Mutex<[String]>([])
            let message = try await service.work(job) { _ in
                let number = reports.withLock { number in
                    number += 1
                    return number
                }
                guard one === diary else { return }
                do { try Self.request(one, number) } catch { failures.withLock { $0.append("\(error)") } }
            }
            #expect(message?.hasPrefix("450 drafts of tasks in 450 note") == true, "\(message ?? "")")
            #expect(reports.withLock { $0 } == 5 && failures.withLock { $0 } == [])
            drafts.append(Set(try await one.database.taskDrafts.page(limit: 500).items.map(\.title)))
        }
        #expect(drafts[0] == drafts[1])
    }

    @Test func `while the pairs of threads are found and a briefing is made, people write`() async throws {
        let diary = try Diary()
        try Self.notes(diary, 1...300)
        var pairs: [String] = []
        for id in 1...300 {
            for other in id + 1...id + 9 where (id - 1) / 10 == (other - 1) / 10 {
                pairs.append(
                    "INSERT INTO note_associations (note_a_id, note_b_id, similarity) VALUES (\(id), \(other), 0.9)")
            }
        }
        try diary.write(all: pairs)
        let failures = Mutex<[String]>([])
        let number = Mutex(0)
        let visit: @Sendable () -> Void = {
            let next = number.withLock { number in
                number += 1
                return number
            }
            do { try Self.request(diary, next) } catch { failures.withLock { $0.append("\(error)") } }
        }
        let service = ThreadService(store: diary.database, rule: diary.service.rule, now: diary.now) {
            _, _, report in
            for done in 1...5 { report(JobProgress(done: done, total: 5)) }
            return (nil, ThreadGroupState(space: 1, position: 7, isGrouped: false))
        }
        let job = try await diary.database.jobs.begin(kind: .threads, parameters: "{}", as: WorkerName()).job
        let message = try await service.work(job) { _ in visit() }
        #expect(message?.hasPrefix("30 groups of notes, 30 open proposals") == true, "\(message ?? "")")
        let briefing = try await diary.database.jobs.begin(kind: .briefing, parameters: "{}", as: WorkerName()).job
        #expect(try await diary.service.work(briefing) { _ in visit() }?.hasSuffix("for 2026-11-23") == true)
        #expect(number.withLock { $0 } == 6 && failures.withLock { $0 } == [])
    }

    @Test func `notes that are deleted while a run is at work are in nothing that it makes`() async throws {
        let diary = try Diary()
        try Self.notes(diary, 1...12)
        var pairs: [String] = []
        for one in 1...12 {
            for other in 1...12 where one < other && (one <= 6) == (other <= 6) {
                pairs.append(
                    "INSERT INTO note_associations (note_a_id, note_b_id, similarity) VALUES (\(one), \(other), 0.9)")
            }
        }
        try diary.write(all: pairs)
        let service = ThreadService(store: diary.database, rule: diary.service.rule, now: diary.now) {
            _, _, report in
            // The pairs are there; now the person deletes a whole group and hides a note of the other one.
            try diary.write("DELETE FROM raw_notes WHERE id > 6", "UPDATE raw_notes SET test_run = 'x' WHERE id = 1")
            return (nil, ThreadGroupState(space: 1, position: 7, isGrouped: false))
        }
        let job = try await diary.database.jobs.begin(kind: .threads, parameters: "{}", as: WorkerName()).job
        let message = try await service.work(job) { _ in }
        #expect(message == "1 groups of notes, 1 open proposals, 1 of them new")
        let open = try await diary.database.threadProposals.page(.open, limit: 10).items
        #expect(open.map { $0.parts.map(\.count) } == [[5]])
        // Deleted between the run and the decision.
        try diary.write("DELETE FROM raw_notes WHERE id = 2")
        let accepted = try await diary.database.threadProposals.accept(try #require(open.first).id)
        #expect(accepted?.parts.first?.count == 4)
        #expect(try diary.count("thread_notes") == 4)
        let briefing = try await diary.service.make(again: true)
        #expect(!briefing.cards.flatMap(\.notes).contains { [1, 2].contains($0.id) || $0.id > 6 })
    }
}
