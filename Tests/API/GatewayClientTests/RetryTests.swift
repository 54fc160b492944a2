import Foundation
import GatewayAPI
import GatewayClient
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct Retries {
    private static let quick = RetryPolicy(maxAttempts: 4, base: 0.001, cap: 0.002)
    private static let busy = #"{"error":"busy","code":"overloaded"}"#

    private func services(
        _ server: ScriptedServer, _ retry: RetryPolicy = quick, timeouts: GatewayConnection.Timeouts = .init()
    ) throws -> (RemoteDataService, RemoteOllamaService) {
        let connection = try GatewayConnection(
            server.address, tokens: StaticTokenStore("k"), timeouts: timeouts, retry: retry)
        return (RemoteDataService(connection), RemoteOllamaService(connection))
    }

    @Test func `waits double up to their cap, are drawn from zero on, and keep Retry-After`() {
        let policy = RetryPolicy(maxAttempts: 5, base: 1, cap: 3, maxRetryAfter: 10)
        #expect((1...4).map { policy.delay(afterAttempt: $0, retryAfter: nil, random: 1) } == [1, 2, 3, 3])
        #expect(policy.delay(afterAttempt: 3, retryAfter: nil, random: 0) == 0)
        #expect(policy.delay(afterAttempt: 5, retryAfter: nil, random: 1) == nil)
        #expect(policy.delay(afterAttempt: 2, retryAfter: 10, random: 0.5) == 10.5)
        #expect(policy.delay(afterAttempt: 1, retryAfter: 10.1, random: 0) == nil)
        #expect(RetryPolicy.never.delay(afterAttempt: 1, retryAfter: nil, random: 0) == nil)
    }

    @Test func `a question is asked again until it is answered, under ids of one family`() async throws {
        let server = try ScriptedServer { number in
            switch number {
            case 1: .drop
            case 2: .reply(503, Self.busy)
            case 3: .reply(502, #"{"error":"x","code":"upstream_error"}"#)
            default: .reply(200, #"{"count":0,"notes":[]}"#)
            }
        }
        defer { server.stop() }
        let (data, _) = try services(server)
        #expect(try await data.notes(.first).count == 0)
        #expect(server.requests.count == 4)
        let ids = server.requests.compactMap { request in
            request.split(separator: "\r\n").first { $0.lowercased().hasPrefix("x-request-id:") }?.dropFirst(14)
        }.map { $0.prefix(36) }
        #expect(ids.count == 4 && Set(ids).count == 1)
        #expect(server.requests.allSatisfy { $0.contains("Authorization: Bearer k") })
    }

    @Test func `attempts end with the policy, and the last error is thrown`() async throws {
        let server = try ScriptedServer { _ in .reply(503, Self.busy) }
        defer { server.stop() }
        let (data, _) = try services(server)
        let error = await clientError { _ = try await data.retrieve(RetrieveRequest(query: "x")) }
        #expect(error?.status == 503 && error?.code == "overloaded")
        #expect(server.requests.count == 4)
    }

    @Test(arguments: [ScriptedServer.Answer.drop, .reply(503, busy), .reply(429, busy), .reply(502, busy)])
    func `what stores something new each time is sent once`(answer: ScriptedServer.Answer) async throws {
        let server = try ScriptedServer { _ in answer }
        defer { server.stop() }
        let (data, _) = try services(server)
        let note = NewNote(title: "a", content: "b")
        #expect(await clientError { _ = try await data.capture(note) } != nil)
        #expect(await clientError { _ = try await data.createNote(note) } != nil)
        #expect(await clientError { _ = try await data.createMemory(NewMemory(content: "a", type: "fact")) } != nil)
        let message = NewMessage(role: "user", content: "a")
        #expect(await clientError { _ = try await data.addMessage(message, toSession: "s") } != nil)
        #expect(server.requests.count == 4)
    }

    @Test func `a generation is sent again when it was turned away, and never when it may have run`() async throws {
        let turnedAway = try ScriptedServer { _ in .reply(429, Self.busy) }
        defer { turnedAway.stop() }
        let request = GenerateRequest(prompt: "x")
        let (_, first) = try services(turnedAway)
        #expect(await clientError { _ = try await first.generate(request) }?.status == 429)
        #expect(turnedAway.requests.count == 4)
        let dropped = try ScriptedServer { $0 % 2 == 1 ? .drop : .reply(504, Self.busy) }
        defer { dropped.stop() }
        let (_, second) = try services(dropped)
        #expect(await clientError { _ = try await second.generate(request) }?.kind == .cut)
        #expect(await clientError { _ = try await second.generateStream(request) }?.status == 504)
        #expect(dropped.requests.count == 2)
    }

    @Test func `Retry-After is waited for, and one that is too long is thrown at once`() async throws {
        let soon = try ScriptedServer { number in
            number == 1
                ? .reply(429, Self.busy, headers: ["Retry-After": "0.3"]) : .reply(200, #"{"count":0,"notes":[]}"#)
        }
        defer { soon.stop() }
        let (data, _) = try services(soon)
        _ = try await data.notes(.first)
        #expect(soon.requests.count == 2)
        #expect(RetryPolicy().delay(afterAttempt: 1, retryAfter: 0.3, random: 0) == 0.3)
        let late = try ScriptedServer { _ in .reply(429, Self.busy, headers: ["Retry-After": "3600"]) }
        defer { late.stop() }
        let (other, _) = try services(late)
        let error = await clientError { _ = try await other.notes(.first) }
        #expect(error?.retryAfter == 3600)
        #expect(late.requests.count == 1)
    }

    @Test func `a wait between two attempts can be cancelled`() async throws {
        let server = try ScriptedServer { _ in .reply(503, Self.busy, headers: ["Retry-After": "20"]) }
        defer { server.stop() }
        let (data, _) = try services(server)
        let task = Task { await clientError { _ = try await data.notes(.first) } }
        #expect(await server.waitUntil { $0.requests.count == 1 })
        task.cancel()
        #expect(await task.value?.kind == .cancelled)
        #expect(server.requests.count == 1)
    }

    @Test func `a question that is not answered in time is asked again, and its connection is left`() async throws {
        let server = try ScriptedServer { number in
            number == 1 ? .stall("") : .reply(200, #"{"count":0,"notes":[]}"#)
        }
        defer { server.stop() }
        let (data, _) = try services(server, timeouts: .init(data: 0.3))
        _ = try await data.notes(.first)
        #expect(server.requests.count == 2)
        #expect(await server.waitUntil { $0.left == 1 })
    }
}
