import Certificates
import FakeOllama
import Foundation
import GatewayTestSupport
import TestSupport
import Testing

/// Requests over HTTP/2, from clients that keep to the rules.
@Suite(.serialized) struct HTTP2Requests {
    @Test func `every kind of request is answered on one connection`() async throws {
        guard let python = try await HTTP2Program.interpreter() else { return }
        try await LiveGateway.with(encryption: .http2) { gateway in
            let report = try await HTTP2Program.run(python, gateway, "kinds")
            let statuses = try #require(report.answers).mapValues(\.status)
            #expect(
                statuses == [
                    "health": 200, "version": 200, "head": 200, "none": 404, "models": 200, "stream": 200, "route": 200,
                    "socket": 426, "page": 200,
                ])
            #expect(report.answers?.values.allSatisfy { $0.ended && $0.reset == nil } == true)
            #expect(report.answers?["stream"]?.done == true)
            #expect(report.answers?["head"]?.bytes == 0)
            #expect(report.forbidden == [])
            #expect(report.nosniff == true)
            #expect(report.identified == true)
            #expect(report.goaways == [])
            let metrics = try await gateway.metrics { $0["selene_requests_in_flight"] == 1 }
            #expect(metrics["selene_requests_in_flight"] == 1)
            #expect(metrics["selene_http2_failures_total"] == 0)
        }
    }

    @Test(.slow) func `a hundred streams are answered at once on one connection`() async throws {
        guard let python = try await HTTP2Program.interpreter() else { return }
        var options = FakeOllama.Options()
        // No answer begins before the last question has arrived, on a busy machine too.
        options.latency = 5
        options.tokens = 40
        options.tokensPerSecond = 40
        try await LiveGateway.with(options, settings: ["max_in_flight": "200"], encryption: .http2) { gateway in
            let report = try await HTTP2Program.run(python, gateway, "streams", "100")
            #expect(report.done == 100)
            #expect(report.most == 100)
            #expect(gateway.fake.statistics.maxInFlight == 100)
        }
    }

    @Test(.slow) func `a stream more than the limit is refused, and the others go on`() async throws {
        guard let python = try await HTTP2Program.interpreter() else { return }
        var options = FakeOllama.Options()
        options.tokensPerSecond = 5
        try await LiveGateway.with(options, settings: ["http2_streams": "3"], encryption: .http2) { gateway in
            let report = try await HTTP2Program.run(python, gateway, "too_many")
            #expect(report.limit == 3)
            #expect(report.further?.status == 0)
            // The client broke a limit that it knew, so the connection may end, too.
            #expect(report.further?.reset != nil || report.over == true)
            #expect(gateway.fake.statistics.maxInFlight == 3)
        }
    }

    @Test(.slow) func `a client that resets a stream stops the upstream, and its connection goes on`() async throws {
        guard let python = try await HTTP2Program.interpreter() else { return }
        var options = FakeOllama.Options()
        options.tokens = 100
        options.tokensPerSecond = 25
        try await LiveGateway.with(options, encryption: .http2) { gateway in
            let report = try await HTTP2Program.run(python, gateway, "cancel")
            #expect(report.other?.done == true)
            #expect(report.health?.status == 200)
            #expect(await gateway.fake.waitUntil { $0.inFlight == 0 })
            #expect(gateway.fake.statistics.cancelled == 1)
            let metrics = try await gateway.metrics { $0["selene_requests_in_flight"] == 1 }
            #expect(metrics["selene_requests_in_flight"] == 1)
        }
    }

    @Test func `a client that leaves stops all its requests`() async throws {
        guard let python = try await HTTP2Program.interpreter() else { return }
        var options = FakeOllama.Options()
        options.tokens = 1_000
        options.tokensPerSecond = 10
        try await LiveGateway.with(options, encryption: .http2) { gateway in
            _ = try await HTTP2Program.run(python, gateway, "leave", "10")
            #expect(await gateway.fake.waitUntil { $0.inFlight == 0 })
            #expect(gateway.fake.statistics.cancelled == 10)
            let metrics = try await gateway.metrics { $0["selene_requests_in_flight"] == 1 }
            #expect(metrics["selene_requests_in_flight"] == 1)
        }
    }

    @Test(.slow) func `a body that is too large is refused, and the connection goes on`() async throws {
        guard let python = try await HTTP2Program.interpreter() else { return }
        try await LiveGateway.with(settings: ["max_body_bytes": "100000"], encryption: .http2) { gateway in
            let report = try await HTTP2Program.run(python, gateway, "too_large", "3000000")
            #expect(report.answer?.status == 413)
            #expect(report.answer?.ended == true)
            // The rest of the body is not wanted: NO_ERROR.
            #expect(report.answer?.reset == nil || report.answer?.reset == 0)
            #expect(report.health?.status == 200)
        }
    }

    @Test(.slow) func `a shutdown lets the answer end, then closes the connection`() async throws {
        guard let python = try await HTTP2Program.interpreter() else { return }
        var options = FakeOllama.Options()
        options.tokens = 40
        options.tokensPerSecond = 20
        try await LiveGateway.with(options, encryption: .http2) { gateway in
            let program = try HTTP2Program(python, gateway, "shutdown")
            #expect(await program.readLine() == "begun\n")
            await gateway.shutDown()
            let report = try await program.report()
            #expect(report.answer?.done == true)
            #expect(report.answer?.ended == true)
            #expect(report.over == true)
            #expect(report.goaways?.isEmpty == false)
            #expect(report.goaways?.allSatisfy { $0 == 0 } == true)
        }
    }

    @Test(.slow) func `without streams TLS speaks HTTP 1 only`() async throws {
        guard await Shell.has("curl") else { return }
        for (streams, version) in [("100", "2"), ("0", "1.1")] {
            try await LiveGateway.with(settings: ["http2_streams": streams], encryption: .http1) { gateway in
                let outcome = try await Shell.run([
                    "curl", "-sS", "--max-time", "20", "--http2", "--cacert", gateway.authority?.authorityFile ?? "",
                    "-o", "/dev/null", "-w", "%{http_version} %{http_code}", "\(gateway.base)/health",
                ])
                #expect(outcome.output == "\(version) 200")
            }
        }
    }
}
