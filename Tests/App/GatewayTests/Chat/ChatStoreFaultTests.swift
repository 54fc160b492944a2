import FakeOllama
import Foundation
import GRDB
import GatewayAPI
import GatewayTestSupport
import Storage
import TestSupport
import Testing

/// Runs whose store hangs or has no room: readers get the whole answer, and it is stored as soon as that is possible.
@Suite(.serialized) struct ChatStoreFaults {
    private var slow: FakeOllama.Options {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 40
        options.tokens = 60
        return options
    }

    /// The answer as a message, once stored.
    private func stored(_ gateway: LiveGateway, _ run: ChatRun) async throws -> String? {
        try await waitUntil { try await gateway.run(run.id).message != nil }
        let messages = try await gateway.done("GET", "/api/sessions/\(run.session)/messages").objects("messages")
        return messages.last?["content"] as? String
    }

    @Test(.slow, .ofFile) func `another process holds the writer's lock for long`() async throws {
        try await LiveGateway.with(slow) { gateway in
            let run = try await gateway.ask("tell me of the sea", ["kind": "plain"])
            try await waitUntil { try await gateway.run(run.id).text?.isEmpty == false }
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let other = try DatabaseQueue(path: gateway.database.path, configuration: configuration)
            try other.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
            var reader = ChatReader(run.id)
            try await reader.readAll(gateway)
            // The lock outlasts the database's own timeout.
            let end = try #require(reader.events.last)
            #expect(end.name == "done" && end["state"] == "done" && end.data["is_stored"] == .bool(false))
            let live = try await gateway.run(run.id)
            #expect(live.state == .done && live.text == reader.string && live.message == nil)
            #expect(try await gateway.request("GET", "/api/sessions").status == 200)
            try other.inDatabase { try $0.execute(sql: "ROLLBACK") }
            #expect(try await stored(gateway, run) == reader.string)
            #expect(try await gateway.ask("again?", ["kind": "plain", "session": run.session]).session == run.session)
        }
    }

    @Test(.slow, .ofFile, .enabled(if: SmallDisk.isPossible, "only root of a Linux can mount a small disk"))
    func `the disk becomes full while an answer streams`() async throws {
        try await SmallDisk.with(megabytes: 24) { disk in
            let gateway = try await LiveGateway.start(folder: disk.url, slow, settings: [:])
            do {
                let run = try await gateway.ask("tell me of the sea", ["kind": "plain"])
                try await waitUntil { try await gateway.run(run.id).text?.isEmpty == false }
                try disk.fill()
                // A log that was used before has room for some.
                let filling = String(repeating: "x", count: 60_000)
                try await waitUntil {
                    try await gateway.post("/api/notes", #"{"title":"\#(UUID())","content":"\#(filling)"}"#).status
                        == 507
                }
                var reader = ChatReader(run.id)
                try await reader.readAll(gateway)
                let end = try #require(reader.events.last)
                #expect(end.name == "done" && end["state"] == "done")
                #expect(try await gateway.run(run.id).text == reader.string)
                let refused = try await gateway.post("/api/chat/runs", #"{"id":"n","question":"\#(filling)"}"#)
                #expect(refused.status == 507, "\(refused.text)")
                try disk.free()
                #expect(try await stored(gateway, run) == reader.string)
            } catch {
                await gateway.stop()
                throw error
            }
            await gateway.stop()
        }
    }
}

extension JSONValue {
    /// The member of an object; nil for any other value.
    fileprivate subscript(_ name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }
}
