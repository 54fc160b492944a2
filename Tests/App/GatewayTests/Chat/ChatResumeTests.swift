import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import Storage
import TestSupport
import Testing

/// Readers that are cut, gateways that end, upstreams that fail: no character is lost or doubled.
@Suite(.serialized) struct ChatResume {
    /// Cuts of streams; `SELENE_CHAT_CUTS=10000` for the long form.
    private static let cuts = ProcessInfo.processInfo.environment["SELENE_CHAT_CUTS"].flatMap(Int.init) ?? 200

    @Test(.slow) func `random cuts and two readers at once lose and double no character`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 400
        options.tokens = 600
        options.script = FakeOllama.Script([])
        try await LiveGateway.with(options) { gateway in
            var random = SeededGenerator(12)
            var (cuts, number) = (0, 0)
            while cuts < Self.cuts {
                number += 1
                let text = (0..<400).map { "Wort \($0) – 潮👩‍🔬 [\($0 % 9)]. " }.joined()
                options.script?.append([.text(text)])
                let run = try await gateway.ask("tell me \(number)", id: "cut-\(number)", ["kind": "plain"])
                let limits = (0..<2).map { _ in (0..<200).map { _ in Int.random(in: 1...1500, using: &random) } }
                let readers = try await withThrowingTaskGroup(of: ChatReader.self) { group in
                    for limits in limits {
                        group.addTask {
                            var reader = ChatReader(run.id)
                            for limit in limits where !reader.isComplete {
                                try await reader.read(gateway, cutAfter: limit)
                            }
                            try await reader.readAll(gateway)
                            return reader
                        }
                    }
                    var readers: [ChatReader] = []
                    for try await reader in group { readers.append(reader) }
                    return readers
                }
                for reader in readers {
                    #expect(reader.string == text)
                    #expect(reader.names.last == "done")
                    cuts += reader.connections - 1
                }
                #expect(try await gateway.run(run.id).text == text)
            }
        }
    }

    @Test func `an unknown position gets one snapshot`() async throws {
        var options = FakeOllama.Options()
        options.script = FakeOllama.Script([.text("The whole answer.")])
        try await LiveGateway.with(options) { gateway in
            let run = try await gateway.answer("tell me", ["kind": "plain"]).run
            for id in ["99999", "1@7", "nonsense", "3.9", ""] {
                var reader = ChatReader(run.id)
                (reader.lastID, reader.text) = (id, Array("wrong".utf8))
                try await reader.read(gateway)
                #expect(reader.string == "The whole answer." && reader.names.last == "done", "\(id)")
            }
        }
    }

    @Test func `a gateway that ends leaves interrupted with the text so far, and the run goes on in the next`()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "selene-chat-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var options = FakeOllama.Options()
        options.tokensPerSecond = 30
        options.tokens = 10_000
        let first = try await LiveGateway.start(folder: folder, options, settings: [:])
        let run = try await first.ask("tell me a long story", id: "story", ["kind": "plain"])
        try await waitUntil { try await first.run(run.id).text?.utf8.count ?? 0 > 40 }
        // Connected before the gateway begins to end: after that it takes no connection.
        let stream = try await first.open("GET", "/api/chat/runs/\(run.id)/events")
        let reading = Task {
            var reader = ChatReader(run.id)
            try await reader.read(stream)
            return reader
        }
        try await waitUntil { await first.fake.waitUntil { $0.inFlight == 1 } }
        await first.shutDown()
        var reader = try await reading.value
        #expect(reader.all("done").last?["state"] == "interrupted")
        await first.stop()

        options.tokensPerSecond = 0
        options.tokens = 20
        let second = try await LiveGateway.start(folder: folder, options, settings: [:])
        let kept = try await second.run(run.id)
        #expect(kept.state == .interrupted && kept.text == reader.string && kept.message != nil)
        let resumed = try await second.request("POST", "/api/chat/runs/story/continue")
        #expect(resumed.status == 200)
        let before = reader.string
        reader.events = []
        try await reader.readAll(second)
        let end = try await second.run(run.id)
        #expect(end.state == .done && end.life == 1 && end.message == kept.message)
        #expect(reader.string == end.text && reader.string.hasPrefix(before) && reader.string.count > before.count)
        let messages = try await second.done("GET", "/api/sessions/\(run.session)/messages").objects("messages")
        #expect(messages.count == 2 && messages.last?["content"] as? String == end.text)
        let again = try await second.request("POST", "/api/chat/runs/story/continue")
        #expect(again.status == 409)
        await second.stop()
    }

    @Test(
        .slow,
        arguments: [
            ("drop@/api/chat", ""), ("cut=5@/api/chat", "cut"), ("reset=5@/api/chat", "cut"),
            ("error-line=5@/api/chat", ""), ("bad-json=5@/api/chat", ""), ("status=500@/api/chat", ""),
            ("status=404@/api/chat", ""), ("drop@/api/show", ""),
        ])
    func `an upstream that fails in any phase ends the run with a reason, and the text stays`(
        fault: String, code: String
    ) async throws {
        try await LiveGateway.with { gateway in
            #expect(gateway.fake.setFaults([fault]))
            let (run, reader) = try await gateway.answer("tell me", ["kind": "plain"])
            #expect(run.state == .failed && run.error?.isEmpty == false, "\(fault): \(run.error ?? "")")
            #expect(reader.names.last == "failed" && reader.string == run.text)
            gateway.fake.setFaults([])
            // The session is free again.
            let next = try await gateway.answer("and now?", ["kind": "plain", "session": run.session]).run
            #expect(next.state == .done)
        }
    }

    @Test func `without Ollama notes are found by words, and the failure says who is away`() async throws {
        try await LiveGateway.with { gateway in
            _ = try await gateway.store.notes.insert([NoteDraft(title: "tide", content: "full moon", createdAt: 1)])
            await gateway.fake.shutdown()
            let run = try await gateway.answer("tide at full moon?").run
            #expect(run.state == .failed && run.error?.isEmpty == false)
            #expect(run.record?.passages.map(\.title) == ["tide"] && run.record?.search?.source != "hybrid")
        }
    }
}
