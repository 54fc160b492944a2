import ThreadRoom
import Foundation
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import Storage
import TestSupport
import Testing

/// `selene actions` and `selene memories` as processes, against a gateway on a socket.
@Suite(.serialized) struct MindCommands {
    private func with(_ body: (ConnectedClient, RemoteDataService) async throws -> Void) async throws {
        try await ConnectedClient.with(settings: ["backfill": "off", "goals_zone": "UTC"]) { setting in
            try await body(setting, setting.data)
        }
    }

    private func selene(_ arguments: [String], _ setting: ConnectedClient) async throws -> ClientProcess.Outcome {
        try await ClientProcess.run(arguments, setting, input: nil, ["TZ": "UTC"])
    }

    @Test(.slow) func `tasks are found, confirmed into a thread and declined`() async throws {
        try await with { setting, service in
            _ = try await setting.database.notes.insert([
                NoteDraft(
                    title: "House", content: "Call the surveyor by Friday. Buy bread for Theo.",
                    createdAt: Int64(Date.now.timeIntervalSince1970), threads: ["House"])
            ])
            let found = try await selene(["actions"], setting)
            #expect(found.status == 0 && found.output.contains("2 drafts of tasks in 1 note"), "\(found.errors)")
            #expect(found.output.contains("Call the surveyor") && found.output.contains("in House"))
            let drafts = try await service.taskDrafts().drafts
            let ids = Dictionary(uniqueKeysWithValues: drafts.map { ($0.title, $0.id) })
            let call = try #require(ids["Call the surveyor"])
            let bread = try #require(ids["Buy bread for Theo"])
            let decided = try await selene(["actions", "--confirm", "\(call)", "--decline", "\(bread)"], setting)
            #expect(decided.status == 0 && decided.output.contains("Call the surveyor"), "\(decided.errors)")
            #expect(try await service.tasks().tasks.map(\.title) == ["Call the surveyor"])
            let again = try await selene(["actions", "--json"], setting)
            #expect(again.output.contains("\"count\" : 0") || again.output.contains("\"count\":0"), "\(again.output)")
            #expect(try await selene(["actions", "--confirm", "999"], setting).status == 1)
            #expect(try await selene(["actions", "--thread", "1"], setting).status == 64)
            #expect(try await selene(["actions", "--days", "0"], setting).status == 64)
        }
    }

    @Test func `a proposal has what a model phrased, with its notes and what was withheld`() async throws {
        try await with { setting, _ in
            let drafts = (1...4).map { NoteDraft(title: "Roof \($0)", content: "The roof leaks in room \($0).") }
            _ = try await setting.database.notes.insert(drafts)
            let store = setting.database.threadProposals
            let proposal = StoredThreadProposal(
                kind: .new, thread: nil, name: "Roof, room", summary: "Notes of 2026-11-20.",
                why: "4 notes are similar.",
                parts: [.init(name: "Roof, room", notes: [1, 2, 3, 4])])
            try await store.update([proposal], withdrawn: [], now: 1)
            let plain = try await selene(["threads"], setting)
            #expect(plain.output.contains("Roof, room (new thread)") && plain.output.contains("Notes of 2026-11-20."))
            let phrasing = StoredPhrasing(
                digest: "d", model: "away/small", names: ["The leaking roof"],
                sentences: [.init(text: "The roof leaks in room 2.", notes: [2])], withheld: 3)
            let stored = try await store.stored(.open)
            try await store.keep(phrasing, of: try #require(stored.first), now: 2)
            let named = try await selene(["threads"], setting)
            #expect(named.output.contains("The leaking roof (new thread)"), "\(named.output)")
            #expect(named.output.contains("The roof leaks in room 2. [note 2]"))
            #expect(named.output.contains("3 private notes withheld from away/small"))
        }
    }

    @Test(.slow) func `memories are added, edited and forgotten`() async throws {
        try await with { setting, service in
            #expect(try await selene(["memories"], setting).output.contains("Nothing is remembered."))
            let added = try await selene(["memories", "--add", "Lives in Leipzig", "--type", "fact"], setting)
            #expect(added.status == 0 && added.output.contains("Lives in Leipzig (fact)"), "\(added.errors)")
            let memory = try #require(try await service.memories(embeddings: false, PageRequest()).memories.first)
            let edited = try await selene(
                ["memories", "--edit", "\(memory.id)", "--text", "Lives in Dresden"], setting)
            #expect(edited.output.contains("Lives in Dresden (fact)"), "\(edited.errors)")
            let forgotten = try await selene(["memories", "--forget", "\(memory.id)"], setting)
            #expect(forgotten.status == 0 && forgotten.output.contains("Nothing is remembered."))
            #expect(try await selene(["memories", "--forget", "\(memory.id)"], setting).status == 1)
            #expect(try await selene(["memories", "--add", "x", "--type", "rumour"], setting).status != 0)
            #expect(try await selene(["memories", "--type", "fact"], setting).status == 0, "a filter")
            for wrong in [["--text", "x"], ["--edit", "1"], ["--limit", "0"]] {
                #expect(try await selene(["memories"] + wrong, setting).status == 64, "\(wrong)")
            }
        }
    }

    @Test(.slow) func `requests are listed, shown in flight and cancelled`() async throws {
        try await with { setting, _ in
            _ = try await setting.gateway.request("GET", "/api/notes/4711")
            let console = RemoteConsoleService(try setting.connection())
            var found: [LoggedRequest] = []
            try await waitUntil {
                var query = RequestLogQuery()
                query.status = "404"
                found = try await console.requests(query).requests
                return !found.isEmpty
            }
            #expect(found.first?.path == "/api/notes/4711")
            let listed = try await selene(["requests", "--status", "4xx", "--text", "4711"], setting)
            #expect(listed.status == 0 && listed.output.contains("404  GET  /api/notes/4711"), "\(listed.output)")
            let json = try await selene(["requests", "--limit", "1", "--json"], setting)
            #expect(json.output.hasPrefix("[{") && json.output.contains("\"total_ms\":"), "\(json.output)")
            let live = try await selene(["requests", "live"], setting)
            #expect(live.output.contains("No request is in flight."), "\(live.output)")
            let traffic = try await selene(["requests", "traffic", "--day"], setting)
            #expect(traffic.status == 0 && traffic.output.contains("first token"), "\(traffic.output)")
            // Numbers count from 1: a small one may be that of this very request.
            #expect(try await selene(["requests", "cancel", "4000000000"], setting).status == 1)
            #expect(try await selene(["requests", "--status", "6xx"], setting).status != 0)
            #expect(try await selene(["requests", "--limit", "0"], setting).status == 64)
        }
    }
}
