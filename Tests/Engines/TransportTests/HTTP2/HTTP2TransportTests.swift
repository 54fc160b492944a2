import FakeAPNs
import NIOCore
import TestSupport
import Testing

@testable import Transport

/// HTTP/2 over TLS against the synthetic APNs.
@Suite(.serialized) struct HTTP2Transport {
    @Test(.slow) func `a flood waits for the first answer, and shares one connection`() async throws {
        var options = FakeAPNs.Options()
        options.latency = 20
        let stand = try await HTTP2Stand(options)
        #expect(await stand.sendAll(0..<400) == ["200": 400])
        let account = stand.server.book.account
        #expect(account.failures == [])
        #expect(account.connections == 1)
        #expect(account.maxCold == 1)
        #expect(account.maxInFlight > 10)
        #expect(account.maxInFlight <= 100)
        #expect(account.acceptedIDs.count == 400)
        #expect(account.repeated == 0)
        #expect(account.priorities == 0)
        #expect(stand.transport.inFlight == 0)
        try await stand.stop()
    }

    @Test func `headers and body arrive as they were given`() async throws {
        let stand = try await HTTP2Stand()
        #expect(await stand.send(7) == "200")
        let last = try #require(stand.server.book.last)
        #expect(last.path.hasSuffix("07"))
        #expect(last.body == Array(#"{"aps":{"alert":"x"}}"#.utf8))
        #expect(
            Set(last.headers.keys) == ["authorization", "apns-push-type", "apns-topic", "apns-id", "content-length"])
        try await stand.stop()
    }

    @Test func `a refused sender stays alone on the connection`() async throws {
        let stand = try await HTTP2Stand()
        let refused = await stand.send(1, authorization: "bearer a.b.c")
        #expect(refused == #"403 {"reason":"InvalidProviderToken"}"#)
        #expect(await stand.sendAll(2..<50) == ["200": 48])
        #expect(stand.server.book.account.maxCold == 1)
        #expect(stand.server.book.account.connections == 1)
        try await stand.stop()
    }

    @Test(.slow) func `a connection that goes away loses nothing`() async throws {
        var options = FakeAPNs.Options()
        options.latency = 5
        options.answer = { _, number in number == 120 ? .goAway("Shutdown", closeAfter: 300) : .accept }
        let stand = try await HTTP2Stand(options)
        #expect(await stand.sendAll(0..<400) == ["200": 400])
        let account = stand.server.book.account
        #expect(account.acceptedIDs.count == 400)
        #expect(account.connections == 2)
        #expect(account.maxCold == 1)
        try await stand.stop()
    }

    @Test(.slow) func `a connection that is cut loses nothing`() async throws {
        var options = FakeAPNs.Options()
        options.latency = 5
        options.answer = { _, number in number == 150 ? .drop : .accept }
        let stand = try await HTTP2Stand(options)
        let results = await stand.sendAll(0..<400)
        let account = stand.server.book.account
        // What libcurl gives up was never answered, and says so.
        #expect(results == ["200": 400])
        #expect(account.maxCold == 1)
        try await stand.stop()
    }

    @Test(.slow) func `a connection that falls silent is dropped, and the young requests move`() async throws {
        var options = FakeAPNs.Options()
        options.answer = { request, number in number == 50 && request.connection == 1 ? .silence : .accept }
        let stand = try await HTTP2Stand(options) { $0.firstByteTimeout = .seconds(4) }
        #expect(await stand.sendAll(0..<49) == ["200": 49])
        let old = Task { await stand.send(50) }
        #expect(await eventually { stand.server.book.account.requests == 50 })
        try await Task.sleep(for: .milliseconds(2400))
        let young = Task { await stand.sendAll(51..<60) }
        #expect(await old.value == "first_byte_timeout")
        #expect(await young.value == ["200": 9])
        #expect(stand.server.book.account.connections == 2)
        #expect(await stand.sendAll(60..<100) == ["200": 40])
        #expect(stand.server.book.account.connections == 2)
        try await stand.stop()
    }

    @Test func `a slow stream fails alone`() async throws {
        var options = FakeAPNs.Options()
        options.answer = { request, _ in request.path.hasSuffix("ff") ? .ignore : .accept }
        let stand = try await HTTP2Stand(options) { $0.firstByteTimeout = .milliseconds(800) }
        #expect(await stand.send(1) == "200")
        let slow = Task { await stand.send(255) }
        let done = Locked(false)
        let others = Task {
            var results: Set<String> = []
            while !done.value {
                results.insert(await stand.send(2))
                try? await Task.sleep(for: .milliseconds(20))
            }
            return results
        }
        #expect(await slow.value == "first_byte_timeout")
        done.change { $0 = true }
        #expect(await others.value == ["200"])
        #expect(stand.server.book.account.connections == 1)
        try await stand.stop()
    }

    @Test func `refused streams are sent again`() async throws {
        var options = FakeAPNs.Options()
        options.answer = { _, number in number % 50 == 0 ? .refuseStream : .accept }
        let stand = try await HTTP2Stand(options)
        let results = await stand.sendAll(0..<200)
        #expect(results["200", default: 0] + results["cut", default: 0] == 200)
        #expect(results["200", default: 0] >= 190)
        try await stand.stop()
    }

    @Test func `a peer that is not there fails everything at once`() async throws {
        let stand = try await HTTP2Stand()
        try await stand.server.stop()
        #expect(await stand.sendAll(0..<300) == ["refused": 300])
        #expect(stand.transport.inFlight == 0)
        await stand.transport.shutdown(within: .seconds(1))
    }

    @Test func `an unknown authority is not trusted`() async throws {
        let stand = try await HTTP2Stand { $0.authorities = nil }
        #expect(await stand.sendAll(0..<20) == ["tls": 20])
        try await stand.stop()
    }

    @Test func `a peer without HTTP2 is an error`() async throws {
        let server = try ScriptedServer { _ in .reply(200, "{}") }
        defer { server.stop() }
        var configuration = UpstreamConfiguration(baseURL: server.address, peer: "APNs")
        configuration.version = .http2
        let transport = try UpstreamTransport(configuration: configuration)
        await #expect(throws: UpstreamError.self) {
            try await transport.send(UpstreamRequest(method: "POST", path: "/", body: ByteBuffer(string: "x")))
        }
        await transport.shutdown(within: .seconds(1))
    }

    @Test func `cancelled requests leave the connection to others`() async throws {
        var options = FakeAPNs.Options()
        options.answer = { request, _ in request.path.hasSuffix("ff") ? .ignore : .accept }
        let stand = try await HTTP2Stand(options)
        #expect(await stand.send(1) == "200")
        for _ in 0..<50 {
            let task = Task { await stand.send(255) }
            task.cancel()
            #expect(await task.value == "cancelled")
        }
        #expect(await stand.sendAll(2..<30) == ["200": 28])
        #expect(await eventually { stand.transport.inFlight == 0 })
        #expect(stand.server.book.account.connections == 1)
        try await stand.stop()
    }

    @Test func `a shutdown ends what waits`() async throws {
        var options = FakeAPNs.Options()
        options.answer = { _, _ in .ignore }
        let stand = try await HTTP2Stand(options)
        let all = Task { await stand.sendAll(0..<50) }
        #expect(await eventually { stand.transport.inFlight == 50 })
        await stand.transport.shutdown(within: .milliseconds(50))
        #expect(await all.value == ["shutting_down": 50])
        try await stand.server.stop()
    }

    // One after the other they would take two and a half minutes.
    @Test(.timeLimit(.minutes(1))) func `a peer that never says a word fails what waits, too`() async throws {
        var options = FakeAPNs.Options()
        options.answer = { _, _ in .silence }
        let stand = try await HTTP2Stand(options) { $0.firstByteTimeout = .milliseconds(500) }
        #expect(await stand.sendAll(0..<300) == ["first_byte_timeout": 300])
        #expect(stand.server.book.account.maxCold == 1)
        #expect(stand.transport.inFlight == 0)
        try await stand.stop()
    }

    @Test(.slow) func `under all faults at once every request ends, and no success is invented`() async throws {
        var options = FakeAPNs.Options()
        options.latency = 1
        options.answer = { _, number in
            if number % 97 == 0 { return .goAway("Shutdown", closeAfter: 200) }
            if number % 131 == 0 { return .drop }
            if number % 61 == 0 { return .refuseStream }
            if number % 401 == 0 { return .silence }
            return number % 43 == 0 ? .reject(503, "ServiceUnavailable") : .accept
        }
        let stand = try await HTTP2Stand(options) { $0.firstByteTimeout = .seconds(3) }
        var ok = 0
        for round in 0..<10 {
            let results = await stand.sendAll(round * 100..<(round + 1) * 100)
            #expect(results.values.reduce(0, +) == 100)
            ok += results["200", default: 0]
        }
        let account = stand.server.book.account
        #expect(ok > 500)
        #expect(account.acceptedIDs.count >= ok)
        #expect(account.maxCold == 1)
        #expect(stand.transport.inFlight == 0)
        try await stand.stop()
    }
}
