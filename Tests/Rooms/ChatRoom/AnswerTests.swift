import ChatRoom
import Foundation
import GatewayAPI
import Machine
import Storage
import TestSupport
import Testing

@testable import PostgresStorage

/// Runs, histories and summaries of both kinds of store.
@Suite(.serialized) struct AnswerTests {
    typealias Kind = NotesPlace

    @Test(arguments: Kind.allCases)
    func `a run is begun once, and blocks its session until its end`(_ kind: Kind) async throws {
        guard let stage = try await ChatStage(kind) else { return }
        defer { stage.end() }
        let (runs, worker) = (stage.runs, WorkerName())
        let run = try #require(try await runs.begin(ChatStage.draft("a"), worker).begun)
        #expect(run.session == "s" && run.state == .queued && run.userMessage != nil && run.createdAt.count == 19)
        #expect(try await stage.store.sessions.find("s")?.messageCount == 1)
        #expect(try await runs.begin(ChatStage.draft("a"), worker, live: ["a"]).known?.userMessage == run.userMessage)
        var other = ChatStage.draft("a")
        other.question = "another"
        #expect(try await runs.begin(other, worker, live: ["a"]) == .idInUse)
        #expect(try await runs.begin(ChatStage.draft("a", session: "s2"), worker, live: ["a"]) == .idInUse)
        #expect(try await runs.begin(ChatStage.draft("b"), worker, live: ["a"]) == .busy(run: "a"))
        for parent in [FieldUpdate.set(999), .set(run.userMessage ?? 0)] {
            let draft = ChatStage.draft("c", session: "s2", parent: parent)
            #expect(try await runs.begin(draft, worker, live: ["a"]) == .unknownParent)
        }
        #expect(try await stage.store.sessions.find("s2") == nil)
        // What this process lost blocks nothing.
        let next = try #require(try await runs.begin(ChatStage.draft("d"), worker).begun)
        #expect(try await runs.find("a")?.state == .interrupted)
        var record = ChatRecord()
        record.withheld = [7]
        #expect(try await runs.update("d", .init(state: .answering, text: "x", record: record), as: worker))
        let found = try await runs.find("d")
        #expect(found?.text == "x" && found?.record == record && found?.state == .answering && found?.message == nil)
        #expect(try await !runs.update("d", .init(state: .done, text: "y", record: record), as: WorkerName()))
        let message = try await runs.end("d", .done, "answer", as: worker)
        #expect(message != nil)
        #expect(try await runs.end("d", .done, "answer 2", as: worker) == message)
        #expect(try await !runs.update("d", .init(state: .answering, text: "z", record: record), as: worker))
        let messages = try await stage.messages("s")
        #expect(messages.map(\.content) == ["q a", "q d", "answer 2"] && messages.last?.run == "d")
        #expect(messages.map(\.parent) == [nil, messages[0].id, messages[1].id] && next.userMessage == messages[1].id)
        #expect(try await stage.store.sessions.find("s")?.messageCount == 3)
        #expect(try await runs.requests(of: "s", limit: 5) == ["r d", "r a"])
        // Without a session the run makes one.
        let own = try #require(try await runs.begin(ChatStage.draft("e", session: nil), worker).begun)
        #expect(own.session == "chat-e")
        #expect(try await stage.store.sessions.find("chat-e")?.title == "t")
        #expect(try await runs.page(running: true, session: nil, after: nil, limit: 5).items.map(\.id) == ["e"])
    }

    @Test(arguments: Kind.allCases)
    func `pages have each run once, latest first`(_ kind: Kind) async throws {
        guard let stage = try await ChatStage(kind) else { return }
        defer { stage.end() }
        let (runs, worker) = (stage.runs, WorkerName())
        for number in 0..<7 {
            _ = try await runs.begin(ChatStage.draft("r\(number)", session: "s\(number % 2)"), worker)
            _ = try await runs.end("r\(number)", .failed, "", as: worker)
        }
        var (ids, cursor) = ([String](), PageCursor?.none)
        repeat {
            let page = try await runs.page(running: false, session: nil, after: cursor, limit: 3)
            ids += page.items.map(\.id)
            cursor = page.next
        } while cursor != nil
        #expect(ids == (0..<7).reversed().map { "r\($0)" })
        let own = try await runs.page(running: false, session: "s1", after: nil, limit: 9)
        #expect(own.items.map(\.id) == ["r5", "r3", "r1"] && own.next == nil)
        #expect(try await runs.page(running: true, session: nil, after: nil, limit: 9).items.isEmpty)
        await #expect(throws: StorageError.self) {
            try await runs.page(running: false, session: nil, after: PageCursor(1, 2), limit: 3)
        }
    }

    @Test(arguments: Kind.allCases)
    func `a session that is deleted takes its runs along, and a run that ends then writes nothing`(
        _ kind: Kind
    ) async throws {
        guard let stage = try await ChatStage(kind) else { return }
        defer { stage.end() }
        let (runs, worker) = (stage.runs, WorkerName())
        _ = try await runs.begin(ChatStage.draft("a"), worker)
        #expect(try await stage.store.sessions.delete("s"))
        #expect(try await runs.end("a", .done, "answer", as: worker) == nil)
        #expect(try await runs.find("a") == nil)
        #expect(try await stage.store.messages.page(of: "s", after: nil, limit: 10) == nil)
    }

    @Test(arguments: Kind.allCases)
    func `the history follows parents, and messages of clients each other`(_ kind: Kind) async throws {
        guard let stage = try await ChatStage(kind) else { return }
        defer { stage.end() }
        let (runs, worker) = (stage.runs, WorkerName())
        try await stage.save("s")
        for text in ["one", "two", "three"] {
            _ = try await stage.store.messages.add(to: "s", role: "user", content: text)
        }
        let run = try #require(try await runs.begin(ChatStage.draft("a"), worker).begun)
        let history = try await runs.history(through: run.userMessage, of: "s")
        #expect(history.map(\.content) == ["one", "two", "three", "q a"])
        #expect(try await runs.history(through: run.userMessage, of: "other").isEmpty)
        #expect(try await runs.history(through: nil, of: "s").isEmpty)
        _ = try await runs.end("a", .done, "answer a", as: worker)
        #expect(try await runs.latestBranch(of: "s").map(\.content).suffix(2) == ["q a", "answer a"])
        #expect(try await runs.latestBranch(of: "none").isEmpty)
        let branch = try #require(
            try await runs.begin(ChatStage.draft("b", parent: .set(history[0].id)), worker).begun)
        #expect(try await runs.latestBranch(of: "s").map(\.content) == ["one", "q b"])
        let before = try await runs.conversation(before: branch.userMessage, of: "s")
        #expect(before.messages.map(\.content) == ["one"] && before.summary == nil)
        _ = try await runs.end("b", .done, "", as: worker)
        _ = try await runs.begin(ChatStage.draft("c", parent: .clear), worker)
        #expect(try await runs.latestBranch(of: "s").map(\.content) == ["q c"])
    }

    @Test(arguments: Kind.allCases) func `an interrupted run is taken over once`(_ kind: Kind) async throws {
        guard let stage = try await ChatStage(kind) else { return }
        defer { stage.end() }
        let (runs, worker) = (stage.runs, WorkerName())
        _ = try await runs.begin(ChatStage.draft("a"), worker)
        await #expect(throws: StorageError.self) { try await runs.takeOver("a", as: worker) }
        let message = try await runs.end("a", .interrupted, "x", as: worker)
        let other = WorkerName()
        let taken = try await stage.stores[1].answers.takeOver("a", as: other)
        #expect(taken.state == .queued && taken.life == 1 && taken.text == "x" && taken.message == message)
        await #expect(throws: StorageError.self) { try await runs.takeOver("a", as: worker) }
        await #expect(throws: StorageError.self) { try await runs.takeOver("none", as: worker) }
        #expect(try await runs.end("a", .done, "x and y", as: other) == message)
        #expect(try await stage.messages("s").map(\.content) == ["q a", "x and y"])
    }

    @Test(arguments: Kind.allCases)
    func `what is known of the notes of answers comes from their records`(_ kind: Kind) async throws {
        guard let stage = try await ChatStage(kind) else { return }
        defer { stage.end() }
        let (runs, worker) = (stage.runs, WorkerName())
        var record = ChatRecord()
        record.memories = [ChatMemory(id: 1, content: "c")]
        _ = try await runs.begin(ChatStage.draft("a"), worker)
        _ = try await runs.end("a", .done, "x", record, as: worker)
        let sources = try await runs.sources(of: ["a", "none"])
        #expect(sources == ["a": ChatRunSources(record, request: "r a", model: "m")])
        #expect(sources["a"]?.hasMemories == true)
    }

    @Test(arguments: Kind.allCases) func `a summary is requested, tried, kept and shown`(_ kind: Kind) async throws {
        guard let stage = try await ChatStage(kind) else { return }
        defer { stage.end() }
        let summaries = stage.summaries
        try await stage.save("s")
        var ids: [Int64] = []
        for number in 0..<6 {
            let message = try await stage.store.messages.add(to: "s", role: "user", content: "\(number)")
            ids.append(try #require(message).id)
        }
        #expect(try await !summaries.request("s", through: 999, model: "m", key: 3, promptly: true))
        #expect(try await !summaries.request("none", through: ids[1], model: "m", key: 3, promptly: true))
        #expect(try await summaries.next() == nil)
        #expect(try await summaries.request("s", through: ids[1], model: "m", key: 3, promptly: false))
        let first = try #require(try await summaries.next())
        #expect(first.session == "s" && first.message == ids[1] && first.key == 3 && first.attempts == 0)
        #expect(try await stage.store.sessions.find("s")?.compressionState == "processing")
        try await summaries.fail(first, "away", retryAt: 5)
        let second = try #require(try await summaries.pending("s"))
        #expect(second.attempts == 1 && second.dueAt == 5)
        #expect(try await stage.store.sessions.find("s")?.compressionError == "away")
        // Another request keeps the pause; a prompt one does not.
        #expect(try await summaries.request("s", through: ids[2], model: "m2", key: nil, promptly: false))
        let third = try #require(try await summaries.pending("s"))
        #expect(third.dueAt == 5 && third.message == ids[2] && third.model == "m2" && third.key == nil)
        try await summaries.fail(third, "gone", retryAt: nil)
        #expect(try await summaries.pending("s") == nil)
        #expect(try await stage.store.sessions.find("s")?.compressionState == "full")
        #expect(try await summaries.request("s", through: ids[3], model: "m", key: nil, promptly: true))
        for (place, text) in [(1, "of two"), (3, "of four")] {
            let summary = ChatSummary(message: ids[place], text: text, notes: [4, 9], model: "m")
            try await summaries.keep(summary, of: "s")
            #expect(try await summaries.reaching(furthestIn: ids, of: "s") == summary)
        }
        #expect(try await summaries.reaching(furthestIn: Array(ids[...2]), of: "s")?.text == "of two")
        #expect(try await summaries.reaching(furthestIn: ids, of: "none") == nil)
        // A request that came meanwhile goes on.
        let stale = try #require(try await summaries.pending("s"))
        #expect(try await summaries.request("s", through: ids[4], model: "m", key: nil, promptly: false))
        try await summaries.finish(stale)
        let last = try #require(try await summaries.pending("s"))
        try await summaries.finish(last)
        #expect(try await summaries.next() == nil)
        let session = try #require(try await stage.store.sessions.find("s"))
        #expect(session.compressionState == "hybrid" && session.summaryText == "of four")
        #expect(session.compressedThrough == ids[3] && session.compressedAt != nil && session.compressionError == nil)
        #expect(try await stage.store.sessions.page(after: nil, limit: 3).items == [session])
        #expect(try await summaries.foreignSummary(of: "s") == nil)
        var change = SessionChange()
        change.summaryText = .set("of another program")
        _ = try await stage.store.sessions.save("s", change)
        #expect(try await summaries.foreignSummary(of: "s") == "of another program")
        let history = try await stage.runs.conversation(before: ids[5], of: "s")
        #expect(history.summary?.text == "of four" && history.foreignSummary == "of another program")
        #expect(try await stage.store.sessions.delete("s"))
        #expect(try await summaries.reaching(furthestIn: ids, of: "s") == nil)
    }

    @Test(arguments: Kind.allCases) func `memories stand that a person pinned`(_ kind: Kind) async throws {
        guard let stage = try await ChatStage(kind) else { return }
        defer { stage.end() }
        #expect(try await stage.store.memories.always(keys: ["home"], limit: 5) == nil)
        let memories = stage.store.memories
        let plain = try await memories.create(NewMemory(content: "likes tea", type: "preference"))
        #expect(try await stage.store.memories.always(keys: ["home"], limit: 5) == [])
        let made = try await memories.create(NewMemory(content: "lives by the sea", type: "fact"))
        _ = try await memories.update(made.id, MemoryUpdate(isPinned: true))
        #expect(try await stage.store.memories.always(keys: ["home"], limit: 5)?.map(\.id) == [made.id])
        #expect(plain.id != made.id)
    }

    // MARK: Both at once

    @Test(.slow, arguments: Kind.allCases)
    func `of gateways that begin in one session at once, one begins`(_ kind: Kind) async throws {
        guard let stage = try await ChatStage(kind) else { return }
        defer { stage.end() }
        for round in 0..<8 {
            // Even rounds send the same run, as a client does that repeats its request to another gateway.
            let starts = try await withThrowingTaskGroup(of: ChatRunStart.self) { group in
                for (which, store) in stage.stores.enumerated() {
                    for number in 0..<3 {
                        group.addTask {
                            let id = round % 2 == 0 ? "r\(round)" : "r\(round)-\(which)-\(number)"
                            // Workers of other machines, so that none is known to have ended.
                            return try await store.answers.begin(
                                ChatStage.draft(id, session: "s\(round)"), .elsewhere, live: [])
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let begun = starts.compactMap(\.begun)
            #expect(begun.count == 1, "\(starts)")
            for start in starts where start.begun == nil {
                if round % 2 == 0 {
                    #expect(start.known?.userMessage == begun.first?.userMessage)
                } else {
                    #expect(start == .busy(run: begun.first?.id ?? ""))
                }
            }
            #expect(try await stage.messages("s\(round)").count == 1)
        }
    }

    /// What random calls did, without the ids, which differ.
    private func story(_ stage: ChatStage, seed: UInt64) async throws -> [String] {
        var random = SeededGenerator(seed)
        // The sessions of the runs that have not ended.
        var (told, ids, live) = ([String](), [Int64](), [String: String]())
        let worker = WorkerName()
        for step in 0..<120 {
            let session = "s\(Int.random(in: 0..<3, using: &random))"
            let runs = stage.stores[step % 2].answers
            let (choice, place) = (Int.random(in: 0..<10, using: &random), Int.random(in: 0..<100, using: &random))
            switch choice {
            case 0..<4:
                let parent: FieldUpdate<Int64> =
                    place < 60 || ids.isEmpty ? .keep : place < 70 ? .clear : .set(ids[place % ids.count])
                let start = try await runs.begin(
                    ChatStage.draft("r\(step)", session: session, parent: parent), worker, live: Set(live.keys))
                switch start {
                case .begun(let run):
                    live[run.id] = session
                    ids.append(run.userMessage ?? 0)
                    told.append("begun \(run.id)")
                case .busy(let run): told.append("busy \(run)")
                case .unknownParent: told.append("unknown parent")
                case .idInUse: told.append("in use")
                case .known(let run): told.append("known \(run.id)")
                }
            case 4..<7:
                guard let id = live.keys.min() else { continue }
                let state: ChatRun.State = place < 70 ? .done : place < 85 ? .interrupted : .failed
                let message = try await runs.end(id, state, place < 90 ? "answer \(id)" : "", as: worker)
                live[id] = nil
                if let message { ids.append(message) }
                told.append("end \(id) \(state) \(message != nil)")
            case 7:
                let message = try await stage.store.messages.add(to: session, role: "user", content: "m \(step)")
                if let message { ids.append(message.id) }
                told.append("added \(message != nil)")
            case 8 where place < 20 && !live.values.contains(session):
                told.append("deleted \(try await stage.store.sessions.delete(session))")
            default:
                let page = try await runs.page(running: false, session: nil, after: nil, limit: 20)
                guard let one = page.items.first(where: { $0.state == .interrupted }) else { continue }
                do {
                    let taken = try await runs.takeOver(one.id, as: worker)
                    live[taken.id] = taken.session
                    told.append("took \(taken.id) \(taken.life)")
                } catch let error as StorageError {
                    told.append("\(error.code) \(error.message)")
                }
            }
            for name in ["s0", "s1", "s2"] {
                told.append(
                    "\(name): " + (try await runs.latestBranch(of: name)).map(\.content).joined(separator: ", "))
                told.append(
                    (try await stage.messages(name)).map { "\($0.role) \($0.content) \($0.run ?? "")" }.joined())
            }
            let page = try await runs.page(running: place < 50, session: nil, after: nil, limit: 50)
            told.append(page.items.map { "\($0.id) \($0.state) \($0.life)" }.joined(separator: ","))
        }
        return told
    }

    @Test(
        .slow, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible },
        arguments: [1, 2, 3] as [UInt64])
    func `random calls do the same in both kinds of store`(seed: UInt64) async throws {
        let stages = [try #require(try await ChatStage(.file)), try #require(try await ChatStage(.postgres))]
        defer { for stage in stages { stage.end() } }
        let (file, postgres) = (try await story(stages[0], seed: seed), try await story(stages[1], seed: seed))
        #expect(file.count > 300 && file.contains { $0.hasPrefix("busy") } && file.contains { $0.hasPrefix("took") })
        for (one, other) in zip(file, postgres) { try #require(one == other) }
        #expect(file.count == postgres.count)
    }
}
