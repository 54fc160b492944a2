import Foundation
import GatewayTestSupport
import Server
import Storage
import TestSupport
import Testing

/// Clients that ask and never read: what the gateway holds for them stays within a budget.
@Suite(.serialized) struct UnsentAnswers {
    private static let budget = 64 << 20
    private static let noteBytes = 7_000_000

    private func with(
        encryption: LiveGateway.Encryption = .usual, _ body: (LiveGateway) async throws -> Void
    ) async throws {
        try await LiveGateway.with(
            settings: ["max_answer_memory": "\(Self.budget)"], encryption: encryption
        ) { gateway in
            try await gateway.create([
                NoteDraft(title: "long", content: String(repeating: "word ", count: Self.noteBytes / 5))
            ])
            try await body(gateway)
        }
    }

    @Test func `answers that nobody reads are bounded, refused beyond it, and given back`() async throws {
        try await with { gateway in
            let request = "GET /api/notes/1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
            var clients: [RawClient] = []
            for _ in 0..<12 {
                let client = try RawClient(port: gateway.port)
                try client.send(request)
                clients.append(client)
            }
            let metrics = try await gateway.metrics { $0["selene_answers_refused_total"] >= 4 }
            // Three quarters are for one caller, and the twelve are one: six answers of 7 MB.
            let held = metrics["selene_unsent_answer_bytes"]
            #expect(held <= Double(Self.budget) * 3 / 4 && held >= Double(Self.noteBytes), "\(held)")
            #expect(try await gateway.request("GET", "/health").status == 200)
            let refused = try await RawClient.ask(port: gateway.port, "GET", "/api/notes/1").text
            #expect(refused.hasPrefix("HTTP/1.1 503 ") && refused.lowercased().contains("retry-after:"), "\(refused)")
            for client in clients { client.close() }
            let after = try await gateway.metrics { $0["selene_unsent_answer_bytes"] == 0 }
            #expect(after["selene_unsent_answer_bytes"] == 0)
            let reply = try await gateway.request("GET", "/api/notes/1")
            #expect(reply.status == 200 && reply.data.count > Self.noteBytes)
        }
    }

    @Test(.slow) func `streams of HTTP 2 whose windows are shut are bounded too`() async throws {
        guard let python = try await HTTP2Program.interpreter() else { return }
        try await with(encryption: .http2) { gateway in
            let program = try HTTP2Program(python, gateway, "unread", "/api/notes/1")
            #expect(await program.readLine() == "held\n")
            let held = try await gateway.metrics()["selene_unsent_answer_bytes"]
            #expect(held <= Double(Self.budget) * 3 / 4 && held >= Double(Self.noteBytes), "\(held)")
            _ = try await program.report()
            let after = try await gateway.metrics { $0["selene_unsent_answer_bytes"] == 0 }
            #expect(after["selene_unsent_answer_bytes"] == 0)
        }
    }
}
