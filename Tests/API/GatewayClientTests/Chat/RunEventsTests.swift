import FakeOllama
import Foundation
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import TestSupport
import Testing

@Suite(.serialized) struct RunEvents {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    private static let done = "id: 8.1\nevent: done\ndata: {\"is_stored\":true,\"state\":\"done\"}\n\n"

    private static func delta(_ at: Int, _ text: String) -> String {
        "id: \(at + text.utf8.count)\nevent: delta\ndata: {\"at\":\(at),\"text\":\"\(text)\"}\n\n"
    }

    private func service(_ server: ScriptedServer, attempts: Int = 4) throws -> RemoteChatService {
        RemoteChatService(
            try GatewayConnection(
                server.address, tokens: StaticTokenStore("k"), timeouts: .init(events: 0.2),
                retry: RetryPolicy(maxAttempts: attempts, base: 0.001, cap: 0.002)))
    }

    private func answer(_ chat: RemoteChatService, after id: String? = nil) async throws -> ChatAnswer {
        var answer = ChatAnswer()
        for try await event in try chat.events(of: "r", after: id) { #expect(answer.apply(event) == true) }
        return answer
    }

    private func resumed(_ request: String) -> String? {
        request.split(separator: "\r\n").first { $0.lowercased().hasPrefix("last-event-id:") }
            .map { $0.dropFirst(14).trimmingCharacters(in: .whitespaces) }
    }

    @Test func `after a cut and after silence it goes on behind the last event`() async throws {
        let server = try ScriptedServer { number in
            switch number {
            case 1: .raw(Self.head + Self.delta(0, "one ") + String(Self.delta(4, "two").dropLast(4)))
            case 2: .drop
            case 3: .stall(Self.head + ": attached\n\n" + Self.delta(4, "tw"))
            case 4: .reply(503, #"{"error":"busy","code":"overloaded"}"#)
            default:
                .raw(Self.head + Self.delta(6, "o") + Self.delta(7, "!") + "event: hologram\ndata: {}\n\n" + Self.done)
            }
        }
        defer { server.stop() }
        let answer = try await answer(try service(server))
        #expect(answer.text == "one two!" && answer.state == .done && answer.lastEventID == "8.1")
        #expect(server.requests.map(resumed) == [nil, "4", "4", "6", "6"])
        #expect(server.requests.allSatisfy { $0.hasPrefix("GET /api/chat/runs/r/events ") })
        #expect(server.requests.allSatisfy { $0.lowercased().contains("accept: text/event-stream") })
        #expect(await server.waitUntil { $0.left == 1 })
    }

    @Test func `where text is missing it begins again`() async throws {
        let server = try ScriptedServer { number in
            .raw(Self.head + (number == 1 ? Self.delta(3, "two") : Self.delta(0, "one two!") + Self.done))
        }
        defer { server.stop() }
        let answer = try await answer(try service(server), after: "2.5@3")
        #expect(answer.text == "one two!")
        #expect(server.requests.map(resumed) == ["2.5@3", nil])
    }

    @Test func `connections without a new event end with the policy, and other failures at once`() async throws {
        let cases: [(answer: ScriptedServer.Answer, kind: GatewayClientError.Kind, requests: Int)] = [
            (.drop, .cut, 3), (.raw(Self.head + ": only comments\n\n"), .cut, 3), (.stall(Self.head), .timedOut, 3),
            (.reply(404, #"{"error":"no run","code":"not_found"}"#), .refused, 1),
            (.raw(Self.head + "event: delta\ndata: {}\n\n"), .undecodable, 1),
        ]
        for one in cases {
            let server = try ScriptedServer { _ in one.answer }
            defer { server.stop() }
            let chat = try service(server, attempts: 3)
            let error = await clientError { _ = try await answer(chat) }
            #expect(error?.kind == one.kind && error?.requestID?.isEmpty == false)
            #expect(server.requests.count == one.requests)
        }
        let away = try ScriptedServer { _ in .drop }
        away.stop()
        let error = await clientError { _ = try await answer(try service(away)) }
        #expect(error?.kind == .unreachable || error?.kind == .cut)
    }

    @Test func `a reader that leaves closes the connection`() async throws {
        let server = try ScriptedServer { _ in .stall(Self.head + Self.delta(0, "x")) }
        defer { server.stop() }
        let chat = RemoteChatService(try GatewayConnection(server.address, tokens: StaticTokenStore(nil)))
        do {
            for try await _ in try chat.events(of: "r") { break }
        }
        #expect(await server.waitUntil { $0.left == 1 })
        let task = Task { await clientError { for try await _ in try chat.events(of: "r") {} } }
        #expect(await server.waitUntil { $0.requests.count == 2 })
        task.cancel()
        #expect(await task.value?.kind == .cancelled)
        #expect(await server.waitUntil { $0.left == 2 })
    }

    @Test func `a gateway answers a question, and every call has its reply`() async throws {
        try await ConnectedClient.with { setting in
            let chat = RemoteChatService(try setting.connection())
            let note = try await setting.data.createNote(
                NewNote(title: "spring tide", content: "The greatest range comes after full moon."))
            var request = ChatRunRequest(id: "run-1", question: "when is the tide greatest?", session: "tides")
            request.parent = .clear
            let begun = try await chat.begin(request)
            #expect(begun.id == "run-1" && begun.session == "tides")
            #expect(try await chat.begin(request).id == "run-1")
            var answer = ChatAnswer()
            for try await event in try chat.events(of: "run-1") { #expect(answer.apply(event) == true) }
            #expect(answer.state == .done && answer.record.passages.map(\.note) == [note.id])
            let run = try await chat.run("run-1")
            #expect(run.text == answer.text && !answer.text.isEmpty && run.record?.passages == answer.record.passages)
            #expect(run.record?.citations == answer.record.citations && run.message == answer.end?.message)
            // What has ended is read as a whole.
            var again = ChatAnswer()
            for try await event in try chat.events(of: "run-1", after: answer.lastEventID) { again.apply(event) }
            #expect(again.text == answer.text && again.end == answer.end)
            #expect(try await chat.runs(session: "tides", .first).runs.map(\.id) == ["run-1"])
            #expect(try await chat.runs(running: true, .first).runs.isEmpty)
            #expect(try await chat.stop("run-1").state == .done)
            #expect(await clientError { try await chat.continue("run-1") }?.status == 409)
            #expect(await clientError { _ = try await chat.run("none") }?.status == 404)
        }
    }

    @Test func `a run that is stopped ends for its readers`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 100
        options.tokens = 1_000_000
        try await ConnectedClient.with(options) { setting in
            let chat = RemoteChatService(try setting.connection())
            _ = try await chat.begin(ChatRunRequest(id: "run-2", question: "the sea?"))
            var answer = ChatAnswer()
            for try await event in try chat.events(of: "run-2") {
                #expect(answer.apply(event) == true)
                if answer.text.utf8.count > 20, answer.end == nil { try await chat.stop("run-2") }
            }
            #expect(answer.state == .stopped && answer.end?.stopReason == "asked")
            #expect(try await chat.run("run-2").text == answer.text)
        }
    }
}
