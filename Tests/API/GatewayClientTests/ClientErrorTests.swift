import Foundation
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct ClientErrors {
    @Test func `a key that is missing, wrong or right is told apart`() async throws {
        let key = "a-token-of-some-length"
        try await ConnectedClient.with(settings: ["api_token": key], token: key) { setting in
            #expect(try await setting.data.notes(.first).count == 0)
            let without = RemoteDataService(try setting.connection())
            let missing = await clientError { _ = try await without.notes(.first) }
            #expect(missing?.status == 401 && missing?.code == "unauthorized")
            let other = RemoteDataService(try setting.connection(token: "another-token"))
            let wrong = await clientError { _ = try await other.notes(.first) }
            #expect(wrong?.status == 403 && wrong?.code == "forbidden" && wrong?.kind == .refused)
            #expect(wrong?.requestID?.isEmpty == false)
            #expect(try await RemoteOllamaService(setting.connection()).health().status == "ok")
        }
    }

    @Test func `the gateway's refusals keep status, code and sentence`() async throws {
        try await ConnectedClient.with { setting in
            let missing = await clientError { _ = try await setting.data.note(404) }
            #expect(missing?.status == 404 && missing?.code == "not_found")
            #expect(missing?.message == "there is no note 404")
            let invalid = await clientError { _ = try await setting.data.notes(.first(0)) }
            #expect(invalid?.status == 400 && invalid?.code == "invalid_field")
            let model = await clientError {
                _ = try await setting.llm.generate(GenerateRequest(prompt: "x", model: "no"))
            }
            #expect(model?.status == 404 && model?.code == "model_not_found")
            let chat = ChatRequest(model: "no", messages: [ChatMessage(role: "user", content: "x")])
            #expect(await clientError { _ = try await setting.llm.chat(chat) }?.status == 404)
            _ = try await setting.data.createNote(NewNote(title: "a", content: "b"))
            let twice = await clientError { _ = try await setting.data.createNote(NewNote(title: "a", content: "b")) }
            #expect(twice?.status == 409 && twice?.code == "duplicate")
        }
    }

    @Test func `errors of others, HTML and redirects are errors with their status`() async throws {
        let server = try ScriptedServer { number in
            switch number {
            case 1: .reply(422, #"{"error":"no","code":"x"}"#)
            case 2: .reply(403, "<html>", headers: ["Retry-After": "Wed, 21 Oct 2099 07:28:00 GMT"])
            case 3: .reply(302, "", headers: ["Location": "http://127.0.0.1:9/elsewhere"])
            case 4: .reply(200, "<html>")
            default: .reply(200, #"{"count":"many"}"#)
            }
        }
        defer { server.stop() }
        let data = RemoteDataService(
            try GatewayConnection(server.address + "/", tokens: StaticTokenStore(""), retry: .never))
        func next() async -> GatewayClientError? { await clientError { _ = try await data.notes(.first) } }
        #expect(await next()?.status == 422)
        let html = await next()
        #expect(html?.status == 403 && html?.code == nil && html?.message == "the gateway answered 403")
        #expect(try #require(html?.retryAfter) > 86_400)
        #expect(await next()?.status == 302)
        #expect(await next()?.kind == .undecodable)
        #expect(await next()?.kind == .undecodable)
        #expect(server.requests.count == 5)
        #expect(server.requests.allSatisfy { !$0.contains("Authorization") && $0.hasPrefix("GET /api/notes HTTP/1.1") })
    }

    @Test func `a gateway that is not there is unreachable`() async throws {
        let server = try ScriptedServer { _ in .drop }
        server.stop()
        let llm = RemoteOllamaService(
            try GatewayConnection(server.address, retry: RetryPolicy(maxAttempts: 2, base: 0.001, cap: 0.001)))
        #expect(await clientError { _ = try await llm.health() }?.kind == .unreachable)
        #expect(
            await clientError { _ = try await llm.generateStream(GenerateRequest(prompt: "x")) }?.kind == .unreachable)
    }

    @Test(arguments: ["", "ftp://x", "http://", "http://u:p@x", "http://x?y", "::"])
    func `an address that is none is refused`(address: String) {
        #expect(throws: GatewayClientError.self) { try GatewayConnection(address) }
    }

    @Test func `ids that would change the path are refused before they are sent`() async throws {
        let server = try ScriptedServer { _ in .drop }
        defer { server.stop() }
        let data = RemoteDataService(try GatewayConnection(server.address, retry: .never))
        for id in ["", ".", ".."] {
            #expect(await clientError { _ = try await data.deleteSession(id) }?.kind == .invalidRequest)
        }
        #expect(server.requests.isEmpty)
        let bad = RemoteDataService(try GatewayConnection(server.address, tokens: StaticTokenStore("a\r\nb")))
        #expect(await clientError { _ = try await bad.notes(.first) }?.kind == .invalidRequest)
    }

    @Test func `the key is asked for before each attempt`() async throws {
        final class Rotating: TokenStore {
            let count = Mutex(0)
            func token() -> String? {
                count.withLock {
                    $0 += 1; return "key-\($0)"
                }
            }
        }
        let server = try ScriptedServer { $0 == 1 ? .drop : .reply(200, #"{"models":[]}"#) }
        defer { server.stop() }
        let retry = RetryPolicy(maxAttempts: 2, base: 0.001)
        let llm = RemoteOllamaService(try GatewayConnection(server.address, tokens: Rotating(), retry: retry))
        #expect(try await llm.models().models.isEmpty)
        #expect(server.requests[0].contains("Bearer key-1") && server.requests[1].contains("Bearer key-2"))
    }
}
