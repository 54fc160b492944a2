import ChatRoom
import FakeOllama
import FakeProviders
import Foundation
import GatewayAPI
import GatewayTestSupport
import Machine
import Storage
import StoreTestSupport
import TestSupport
import Testing

/// What people say about themselves in chats: found, merged, used, and kept where it belongs.
@Suite(.serialized) struct ChatMemories {
    private static let on = ["memories": "on"]

    private func memories(_ gateway: LiveGateway, _ query: String = "") async throws -> [Memory] {
        let reply = try await gateway.done("GET", "/api/memories?limit=500" + query)
        return try JSONDecoder().decode(MemoriesResponse.self, from: reply.data).memories
    }

    private func contents(_ gateway: LiveGateway, _ query: String = "") async throws -> Set<String> {
        Set(try await memories(gateway, query).map(\.content))
    }

    /// Waits until everything that was asked is read.
    private func waitUntilRead(_ gateway: LiveGateway) async throws {
        try await waitUntil { try await !gateway.store.memories.hasUnreadRuns() }
    }

    /// Asks, and waits until the question is read.
    @discardableResult
    private func say(_ gateway: LiveGateway, _ text: String, _ more: [String: Any] = [:]) async throws -> ChatRun {
        let run = try await gateway.answer(text, ["kind": "plain"].merging(more) { $1 }).run
        try await waitUntilRead(gateway)
        return run
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `what a person says is remembered with its sentence, corrected, and taken back`(_ place: NotesPlace)
        async throws
    {
        try await LiveGateway.with(notesIn: place, settings: Self.on) { gateway in
            let run = try await say(
                gateway, "Hello! I live in Leipzig and I'm allergic to walnuts. What is for dinner?")
            let found = try await memories(gateway)
            #expect(Set(found.map(\.content)) == ["Lives in Leipzig", "Allergic to walnuts"])
            let home = try #require(found.first { $0.content == "Lives in Leipzig" })
            let details = try #require(home.details)
            #expect(home.type == "fact" && home.confidence == 0.9 && home.sourceSessionID == run.session)
            #expect(details.key == "home" && details.kind == "place" && details.origin == .rules)
            #expect(details.source?.text == "I live in Leipzig and I'm allergic to walnuts.")
            #expect(details.source?.start == 7 && details.source?.run == run.id)
            let why = try await gateway.done("GET", "/api/memories/\(home.id)/why")
            let history = try JSONDecoder().decode(MemoryHistory.self, from: why.data)
            #expect(history.message?.id == run.userMessage && history.changes.map(\.action) == [.add])
            // Said again, nothing changes; said otherwise, the old stays with its reason.
            try await say(gateway, "As I said: I live in Leipzig.")
            #expect(try await memories(gateway).count == 2)
            try await say(gateway, "We have moved to Hamburg.")
            #expect(try await contents(gateway) == ["Lives in Hamburg", "Allergic to walnuts"])
            let old = try #require(try await memories(gateway, "&state=superseded").first)
            let new = try #require(try await memories(gateway).first { $0.content == "Lives in Hamburg" })
            #expect(old.id == home.id && old.details?.supersededBy == new.id && old.details?.reason?.isEmpty == false)
            #expect(try await memories(gateway, "&state=all").count == 3)
            #expect(try await memories(gateway, "&type=preference").isEmpty)
            let undone = try await gateway.done("POST", "/api/memories/\(new.id)/undo")
            #expect(undone.object["undone"] as? String == "add")
            #expect(try await contents(gateway) == ["Lives in Leipzig", "Allergic to walnuts"])
            // Edited, pinned, forgotten, brought back.
            try await gateway.done(
                "PATCH", "/api/memories/\(home.id)", #"{"content":"Lives near Leipzig","is_pinned":true}"#)
            try await gateway.done("DELETE", "/api/memories/\(home.id)")
            #expect(try await contents(gateway) == ["Allergic to walnuts"])
            try await gateway.done("POST", "/api/memories/\(home.id)/undo")
            #expect(try await contents(gateway) == ["Lives near Leipzig", "Allergic to walnuts"])
            #expect(try await gateway.request("POST", "/api/memories/999/undo").status == 404)
            #expect(try await gateway.request("GET", "/api/memories/999/why").status == 404)
            #expect(try await gateway.request("POST", "/api/memories/999/confirm").status == 404)
            #expect(try await gateway.request("GET", "/api/memories?state=odd").status == 400)
            let reply = try await gateway.done("GET", "/api/memories")
            #expect(reply.object["is_on"] as? Bool == true)
        }
    }

    @Test(.slow, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
    func `two gateways on one database find once what chats say`() async throws {
        let server = try #require(await PostgresServer.shared())
        let settings = Self.on.merging(["store": try await server.migrated()]) { $1 }
        try await LiveGateway.with(settings: settings) { first in
            try await LiveGateway.with(settings: settings) { second in
                for _ in 0..<3 {
                    for gateway in [first, second] {
                        _ = try await gateway.answer(
                            "I live in Leipzig and I'm allergic to walnuts.", ["kind": "plain"])
                    }
                }
                try await waitUntilRead(second)
                for gateway in [first, second] {
                    let found = try await memories(gateway, "&state=all")
                    #expect(found.map(\.content).sorted() == ["Allergic to walnuts", "Lives in Leipzig"])
                }
                let used = try await second.answer("What is for dinner?", ["kind": "plain"]).run.record?.memories
                #expect(Set(used?.map(\.content) ?? []) == ["Lives in Leipzig", "Allergic to walnuts"])
            }
        }
    }

    @Test(.slow) func `later runs get memories as a block of their own, and citations stay as they are`() async throws {
        var options = FakeOllama.Options()
        options.script = FakeOllama.Script([.text("Noted."), .text("Bread is flour, water and salt [1].")])
        try await LiveGateway.with(options, settings: Self.on) { gateway in
            _ = try await gateway.store.notes.insert([
                NoteDraft(title: "bread", content: "Bread is flour, water and salt.", createdAt: 1)
            ])
            try await say(gateway, "I'm allergic to walnuts. I live in Leipzig.")
            let run = try await gateway.answer("What is in the bread?").run
            #expect(Set(run.record?.memories.map(\.content) ?? []) == ["Lives in Leipzig", "Allergic to walnuts"])
            let sent = gateway.lastAsked
            #expect(sent.contains("- Allergic to walnuts") && sent.contains("said about themselves"))
            #expect(run.record?.passages.map(\.title) == ["bread"] && run.record?.leftOut == [])
            #expect(run.record?.citations.map(\.verdict) == [.supported])
        }
    }

    @Test func `the block is bounded, pinned memories go first, and the run lists how many were left out`() async throws
    {
        try await LiveGateway.with(settings: Self.on) { gateway in
            for number in 0..<40 {
                let text = "Fact \(number): " + String(repeating: "about the person ", count: 8)
                let body = #"{"content":"\#(text)","type":"fact"}"#
                let made = try await gateway.done("POST", "/api/memories", body, 201)
                let id = try #require(made.object["id"] as? Int)
                if number % 2 == 0 { try await gateway.done("PATCH", "/api/memories/\(id)", #"{"is_pinned":true}"#) }
            }
            let run = try await gateway.answer("What do you know about the person?", ["kind": "plain"]).run
            let used = try #require(run.record?.memories)
            let left = try #require(run.record?.leftOut.first { $0.part == "memory" })
            #expect(!used.isEmpty && used.count < 20 && left.count >= 20 - used.count)
            // About four bytes are a token; the estimate is rather too high.
            #expect(used.reduce(0) { $0 + $1.content.utf8.count } <= 4 * 400)
            #expect(
                used.allSatisfy { (Int($0.content.split(separator: ":")[0].split(separator: " ")[1]) ?? 1) % 2 == 0 })
        }
    }

    @Test(.slow) func `nothing is remembered or used while it is off, nor read when it is switched on later`()
        async throws
    {
        let folder = try TemporaryFolder()
        let off = try await LiveGateway.start(folder: folder.url, .init(), settings: [:])
        _ = try await off.answer("I live in Leipzig.", ["kind": "plain", "memories": true])
        _ = try await off.done("POST", "/api/memories", #"{"content":"Likes tea","type":"preference"}"#, 201)
        let run = try await off.answer("Do I like tea?", ["kind": "plain"]).run
        #expect(run.record?.memories == [] && !off.lastAsked.contains("Likes tea"))
        let reply = try await off.done("GET", "/api/memories")
        #expect(reply.object["is_on"] as? Bool == false && reply.objects("memories").count == 1)
        await off.stop()
        let on = try await LiveGateway.start(folder: folder.url, .init(), settings: Self.on)
        try await waitUntilRead(on)
        #expect(try await contents(on) == ["Likes tea"])
        try await say(on, "I live in Hamburg.")
        #expect(try await contents(on) == ["Likes tea", "Lives in Hamburg"])
        await on.stop()
    }

    @Test(.slow) func `a session may do without memories, until it says otherwise`() async throws {
        try await LiveGateway.with(settings: Self.on) { gateway in
            try await say(gateway, "I live in Leipzig.")
            let first = try await say(gateway, "I drive a Volvo.", ["memories": false])
            let second = try await say(gateway, "I play the cello.", ["session": first.session])
            #expect(first.record?.memories == [] && second.record?.memories == [])
            #expect(try await contents(gateway) == ["Lives in Leipzig"])
            let third = try await say(gateway, "I use Helix.", ["session": first.session, "memories": true])
            #expect(third.record?.memories.map(\.content) == ["Lives in Leipzig"])
            #expect(try await contents(gateway) == ["Lives in Leipzig", "Uses Helix"])
        }
    }

    @Test(.slow) func `nothing is remembered from private scopes, their sessions, and answers over private notes`()
        async throws
    {
        let settings = ["memories": "on", "private": "tag:secret, type:diary, thread:Health"]
        try await LiveGateway.with(settings: settings) { gateway in
            _ = try await gateway.store.notes.insert([
                NoteDraft(
                    title: "knee", content: "The surgeon called about the knee.", createdAt: 1, threads: ["Health"],
                    tags: ["secret"])
            ])
            let thread = try #require(try await gateway.store.threads.find(named: "Health")).id
            let scopes: [[String: Any]] = [
                ["tag": "Secret"], ["noteType": "diary"], ["thread": "health"], ["thread": "\(thread)"],
            ]
            for scope in scopes {
                let run = try await say(gateway, "I have asthma.", ["kind": "ask", "scope": scope])
                try await say(gateway, "I'm allergic to latex.", ["session": run.session])
            }
            // The question finds the private note.
            let run = try await gateway.answer("I suffer from the knee, what did the surgeon say?").run
            #expect(run.record?.passages.map(\.title) == ["knee"])
            try await say(gateway, "I suffer from insomnia. The surgeon called about the knee.", ["kind": "ask"])
            #expect(try await memories(gateway, "&state=all").isEmpty)
            try await say(gateway, "I have asthma.")
            #expect(try await contents(gateway) == ["Health: asthma"])
        }
    }

    @Test(.slow) func `a model's proposals are checked, wait for a person, and are not used before`() async throws {
        var options = FakeOllama.Options()
        let proposals = """
            {"facts":[{"kind":"habit","content":"Sleeps badly before concerts","quote":"nights before a concert are bad"},
            {"kind":"habit","content":"Invented","quote":"not in the message"},{"kind":"odd","content":"x","quote":"concert"}]}
            """
        options.script = FakeOllama.Script([.text("I see."), .text(proposals), .text("Yes."), .text("no JSON")])
        try await LiveGateway.with(options, settings: ["memories": "on", "memories_model": "gemma3:270m"]) { gateway in
            try await say(gateway, "The nights before a concert are bad for me.")
            #expect(try await memories(gateway).isEmpty)
            let proposal = try #require(try await memories(gateway, "&state=proposed").first)
            #expect(try await memories(gateway, "&state=all").count == 1)
            #expect(proposal.content == "Sleeps badly before concerts" && proposal.confidence == 0.5)
            #expect(proposal.details?.origin == .model)
            #expect(proposal.details?.source?.text == "nights before a concert are bad")
            let run = try await say(gateway, "Do I sleep badly before concerts?")
            #expect(run.record?.memories == [])
            let confirmed = try await gateway.done("POST", "/api/memories/\(proposal.id)/confirm")
            #expect((confirmed.object["details"] as? [String: Any])?["state"] as? String == "active")
            #expect(try await contents(gateway) == ["Sleeps badly before concerts"])
        }
    }

    @Test(.slow) func `a model that looks for memories waits behind every request of a person`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 20
        options.tokens = 100_000
        let settings = ["memories": "on", "memories_model": "gemma3:270m", "max_in_flight": "1"]
        try await LiveGateway.with(options, settings: settings) { gateway in
            func waiting() async throws -> Int {
                let stats = try await gateway.done("GET", "/api/admin/stats").object
                let waiting = (stats["admission"] as? [String: Any])?["waiting"] as? [String: Int]
                return waiting?.values.reduce(0, +) ?? -1
            }
            let first = try await gateway.ask("Tell me of the first.", ["kind": "plain", "memories": false])
            try await waitUntil { gateway.lastAsked.contains("Tell me of the first") }
            // A run that has ended, as another server on the file leaves it.
            let worker = WorkerName()
            let draft = ChatRunDraft(
                id: "ended", session: "other", parent: .keep, question: "I play the cello.", model: "fake",
                request: #"{"kind":"ask","tools":true,"strict":false,"limit":6,"remembers":true}"#, key: nil)
            _ = try await gateway.store.answers.begin(draft, title: "t", as: worker) { _ in true }
            _ = try await gateway.store.answers.end(
                "ended", ChatRunProgress(state: .done, text: "a", record: ChatRecord()), as: worker)
            try await waitUntil { try await waiting() == 1 }
            let second = try await gateway.ask("Tell me of the second.", ["kind": "plain", "memories": false])
            try await waitUntil { try await waiting() == 2 }
            try await gateway.done("DELETE", "/api/chat/runs/\(first.id)")
            try await waitUntil { gateway.fake.statistics.requests["/api/chat"] == 2 }
            // The later request of a person went first.
            #expect(gateway.lastAsked.contains("Tell me of the second"))
            #expect(try await waiting() == 1)
            gateway.fake.setFaults(["status=500"])
            try await gateway.done("DELETE", "/api/chat/runs/\(second.id)")
            // Without an answer of the model, the rules have their facts all the same.
            try await waitUntil { try await contents(gateway) == ["Plays cello"] }
        }
    }

    @Test(.slow) func `memories by hand: the job reads what waits, and says what it did`() async throws {
        try await LiveGateway.with(settings: Self.on) { gateway in
            try await say(gateway, "I play the cello.")
            let begun = try await gateway.request("POST", "/api/jobs/memories")
            #expect(begun.status == 202 || begun.status == 200)
            let id = try #require(begun.object["id"] as? Int)
            try await waitUntil {
                try await gateway.done("GET", "/api/jobs/\(id)").object["state"] as? String == "done"
            }
            #expect(try await contents(gateway) == ["Plays cello"])
        }
    }
}
