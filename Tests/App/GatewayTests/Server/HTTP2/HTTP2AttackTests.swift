import FakeOllama
import Foundation
import GatewayTestSupport
import TestSupport
import Testing

/// Clients of HTTP/2 that break the rules, send too much, or take nothing.
@Suite(.serialized) struct HTTP2Attacks {
    private static let enhanceYourCalm = 11

    @Test(.slow, arguments: ["rapid_reset", "pings", "settings", "continuations", "window_updates", "unknown_frames"])
    func `a flood ends its connection and nothing else`(mode: String) async throws {
        guard let python = try await HTTP2Program.interpreter() else { return }
        try await LiveGateway.with(encryption: .http2) { gateway in
            let report = try await HTTP2Program.run(python, gateway, mode)
            #expect(report.over == true || report.goaways == [Self.enhanceYourCalm])
            // 200 within 30 seconds, and what was on its way.
            #expect((report.count ?? .max) <= 600)
            let metrics = try await gateway.metrics { $0["selene_requests_in_flight"] == 1 }
            #expect(metrics["selene_http2_failures_total"] == 1)
            #expect(metrics["selene_requests_in_flight"] == 1)
            #expect(await gateway.fake.waitUntil { $0.inFlight == 0 })
        }
    }

    @Test func `a header bomb ends its connection`() async throws {
        guard let python = try await HTTP2Program.interpreter() else { return }
        try await LiveGateway.with(encryption: .http2) { gateway in
            let report = try await HTTP2Program.run(python, gateway, "bomb")
            // One byte each, 14 MB together.
            #expect(report.again == 1)
            #expect((report.sent ?? .max) < 16_384)
            #expect(report.over == true)
            #expect(try await gateway.request("GET", "/health").status == 200)
        }
    }

    @Test(.slow, arguments: [(90, 200), (101, 400), (2_000, 0)])
    func `the number of headers is limited`(count: Int, status: Int) async throws {
        guard let python = try await HTTP2Program.interpreter() else { return }
        try await LiveGateway.with(encryption: .http2) { gateway in
            let report = try await HTTP2Program.run(python, gateway, "many_headers", "\(count)")
            #expect(report.answer?.status == status)
        }
    }

    @Test(.slow, arguments: ["slow_block", "no_preface"])
    func `what does not arrive whole ends its connection`(mode: String) async throws {
        guard let python = try await HTTP2Program.interpreter() else { return }
        try await LiveGateway.with(settings: ["header_timeout": "0.5"], encryption: .http2) { gateway in
            let report = try await HTTP2Program.run(python, gateway, mode)
            #expect(report.over == true)
            #expect(try await gateway.metrics()["selene_header_timeouts_total"] == 1)
        }
    }

    @Test func `bytes that are not HTTP end their connection`() async throws {
        guard let python = try await HTTP2Program.interpreter() else { return }
        try await LiveGateway.with(encryption: .http2) { gateway in
            let report = try await HTTP2Program.run(python, gateway, "no_http")
            #expect(report.over == true)
            #expect(try await gateway.request("GET", "/health").status == 200)
        }
    }

    @Test(.slow) func `a stream whose client takes nothing is reset, and the others go on`() async throws {
        guard let python = try await HTTP2Program.interpreter() else { return }
        try await LiveGateway.with(settings: ["client_idle_timeout": "0.5", "max_in_flight": "1"], encryption: .http2) {
            gateway in
            gateway.fake.setFaults(["giant-line=5000000"])
            let report = try await HTTP2Program.run(python, gateway, "stall")
            #expect(report.large?.reset != nil)
            #expect(report.small?.reset != nil)
            #expect(report.small?.status == 200)
            #expect(report.third?.status == 200)
            #expect(report.third?.ended == true)
            #expect(await gateway.fake.waitUntil { $0.inFlight == 0 })
            let metrics = try await gateway.metrics { $0["selene_admission_in_flight"] == 0 }
            // The small one may end by the idle time of its stream instead.
            #expect(metrics["selene_stalled_clients_total"] >= 1)
        }
    }

    @Test(.slow) func `a client that takes nothing holds back the upstream`() async throws {
        guard let python = try await HTTP2Program.interpreter() else { return }
        try await LiveGateway.with(encryption: .http2) { gateway in
            gateway.fake.setFaults(["giant-line=50000000"])
            let program = try HTTP2Program(python, gateway, "hold")
            #expect(await program.readLine() == "held\n")
            #expect(gateway.fake.statistics.bytesWritten < 16_000_000)
            let report = try await program.report()
            // The window of the connection.
            #expect((report.answer?.bytes ?? 0) <= 65_535)
            #expect(await gateway.fake.waitUntil { $0.inFlight == 0 })
        }
    }

    @Test(.slow) func `a slow reader gets its whole answer`() async throws {
        guard let python = try await HTTP2Program.interpreter() else { return }
        try await LiveGateway.with(settings: ["client_idle_timeout": "1"], encryption: .http2) { gateway in
            gateway.fake.setFaults(["giant-line=300000"])
            let report = try await HTTP2Program.run(python, gateway, "slow_reader")
            #expect(report.answer?.ended == true)
            #expect(report.answer?.reset == nil)
            #expect((report.answer?.bytes ?? 0) >= 300_000)
        }
    }

    @Test(.slow) func `a body that stops coming ends its stream`() async throws {
        guard let python = try await HTTP2Program.interpreter() else { return }
        try await LiveGateway.with(settings: ["header_timeout": "0.5"], encryption: .http2) { gateway in
            let report = try await HTTP2Program.run(python, gateway, "slow_body")
            #expect(report.answers?["proxied"]?.status == 408)
            #expect(report.answers?["own"]?.status == 408)
            #expect(report.health?.status == 200)
            let metrics = try await gateway.metrics { $0["selene_requests_in_flight"] == 1 }
            #expect(metrics["selene_requests_in_flight"] == 1)
        }
    }

    @Test(.slow) func `an idle connection is ended`() async throws {
        guard let python = try await HTTP2Program.interpreter() else { return }
        try await LiveGateway.with(settings: ["client_idle_timeout": "0.5"], encryption: .http2) { gateway in
            let report = try await HTTP2Program.run(python, gateway, "idle")
            #expect(report.health?.status == 200)
            #expect(report.over == true)
            #expect(report.goaways?.first == 0)
        }
    }

    @Test func `requests that break a rule are refused`() async throws {
        guard let python = try await HTTP2Program.interpreter() else { return }
        try await LiveGateway.with(encryption: .http2) { gateway in
            let answers = try #require(try await HTTP2Program.run(python, gateway, "rules").answers)
            for name in ["good", "host alone", "host repeated", "trailers"] {
                #expect(answers[name]?.status == 200, "\(name): \(String(describing: answers[name]))")
            }
            for name in [
                "no authority", "other host", "two hosts", "bare path", "absolute path", "connect", "large value",
            ] {
                #expect(answers[name]?.status == 400, "\(name): \(String(describing: answers[name]))")
            }
            #expect(answers["rebinding"]?.status == 403)
            for name in [
                "no path", "socket", "connection", "chunked", "upper case", "late pseudo", "unknown pseudo",
                "two paths",
                "length", "signed length", "two trailers",
                "space in path", "line in path", "line in value",
            ] {
                let answer = answers[name]
                #expect(
                    answer.map { $0.status == 400 || ($0.status == 0 && ($0.reset != nil || $0.over == true)) } == true,
                    "\(name): \(String(describing: answer))")
            }
            #expect(try await gateway.request("GET", "/health").status == 200)
        }
    }
}
