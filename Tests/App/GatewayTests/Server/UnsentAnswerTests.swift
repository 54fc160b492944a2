import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Server
import Storage
import TestSupport
import Testing

/// Clients that ask and never read: what the gateway holds for them stays within a budget, and a large answer in a file.
@Suite(.serialized) struct UnsentAnswers {
    private static let budget = 64 << 20
    /// What a large answer holds in memory: two parts of 256 KiB.
    private static let partsBytes = 512 << 10
    /// More than sockets take, all characters of JSON that are escaped, and letters of several bytes.
    private static let text =
        String(repeating: "word ", count: 1_200_000) + String(repeating: "äöü \u{1}\" ", count: 5000)

    private func with(
        encryption: LiveGateway.Encryption = .usual, _ body: (LiveGateway) async throws -> Void
    ) async throws {
        try await LiveGateway.with(
            settings: ["max_answer_memory": "\(Self.budget)"], encryption: encryption
        ) { gateway in
            try await gateway.create([
                NoteDraft(title: "long", content: Self.text), NoteDraft(title: "short", content: "tide"),
            ])
            try await body(gateway)
        }
    }

    @Test(.slow) func `answers that nobody reads are bounded, refused beyond it, and given back`() async throws {
        try await with { gateway in
            let key = try await gateway.store.keys.create(name: "reader", grant: KeyGrant(scopes: [.notesRead]))
            let other = try await gateway.store.keys.create(
                name: "other", grant: KeyGrant(scopes: [.notesRead, .admin]))
            try await gateway.waitForKeys()
            let authorization = "Authorization: Bearer \(key.secret)"
            var clients: [RawClient] = []
            for _ in 0..<70 {
                let client = try RawClient(port: gateway.port, receiveBuffer: 4096)
                try client.send("GET /api/notes/1 HTTP/1.1\r\nHost: localhost\r\n\(authorization)\r\n\r\n")
                clients.append(client)
            }
            let metrics = try await gateway.metrics(token: other.secret) { $0["selene_answers_refused_total"] >= 6 }
            // One key has half of the room: 64 answers of 512 KiB in memory.
            #expect(metrics["selene_unsent_answer_bytes"] == Double(Self.budget) / 2)
            #expect(metrics["selene_unsent_answer_bytes_on_disk"] >= Double(64 * Self.text.utf8.count))
            #expect(try await gateway.request("GET", "/health").status == 200)
            let refused = try await RawClient.ask(
                port: gateway.port, "GET", "/api/notes/1", headers: [authorization]
            ).text
            #expect(refused.hasPrefix("HTTP/1.1 503 ") && refused.lowercased().contains("retry-after:"), "\(refused)")
            // Another key has its part of the rest.
            let reply = try await gateway.request(
                "GET", "/api/notes/1", headers: [("Authorization", "Bearer \(other.secret)")])
            #expect(reply.object["content"] as? String == Self.text)
            for client in clients { client.close() }
            let after = try await gateway.metrics(token: other.secret) {
                $0["selene_unsent_answer_bytes"] == 0 && $0["selene_unsent_answer_bytes_on_disk"] == 0
            }
            #expect(after["selene_unsent_answer_bytes"] == 0)
            #expect(after["selene_unsent_answer_bytes_on_disk"] == 0)
        }
    }

    @Test(arguments: [LiveGateway.Encryption.usual, .http2])
    func `large answers come whole, one after another`(_ encryption: LiveGateway.Encryption)
        async throws
    {
        try await with(encryption: encryption) { gateway in
            for _ in 0..<3 {
                let one = try await gateway.request("GET", "/api/notes/1")
                #expect(one.status == 200 && one.object["content"] as? String == Self.text)
                let list = try await gateway.request("GET", "/api/notes")
                #expect(Set(list.objects("notes").compactMap { $0["content"] as? String }) == [Self.text, "tide"])
                let found = try await gateway.request("POST", "/api/notes/search", #"{"query":"word"}"#)
                #expect(found.objects("notes").map { $0["content"] as? String } == [Self.text])
            }
            let after = try await gateway.metrics { $0["selene_unsent_answer_bytes_on_disk"] == 0 }
            #expect(after["selene_unsent_answer_bytes_on_disk"] == 0)
        }
    }

    @Test func `the head of a large answer names the length of its body, and HEAD answers the same`() async throws {
        try await with { gateway in
            let bytes = try await gateway.request("GET", "/api/notes/1").data.count
            for method in ["GET", "HEAD"] {
                let reply = try await RawClient.ask(port: gateway.port, method, "/api/notes/1")
                #expect(reply.head.hasPrefix("HTTP/1.1 200"))
                #expect(reply.head.lowercased().contains("content-length: \(bytes)"), "\(reply.head)")
                #expect(reply.body.isEmpty == (method == "HEAD"))
            }
        }
    }

    @Test(.enabled(if: SmallDisk.isPossible, "only root of a Linux can mount a small disk"))
    func `a large answer comes from memory when the disk is full`() async throws {
        try await SmallDisk.with(megabytes: 24) { disk in
            let gateway = try await LiveGateway.start(folder: disk.url, .init(), settings: [:])
            do {
                try await gateway.create([NoteDraft(title: "long", content: Self.text)])
                try disk.fill()
                let one = try await gateway.request("GET", "/api/notes/1")
                #expect(one.status == 200 && one.object["content"] as? String == Self.text)
                let metrics = try await gateway.metrics { $0["selene_unsent_answer_bytes"] == 0 }
                #expect(metrics["selene_unsent_answer_bytes_on_disk"] == 0)
            } catch {
                await gateway.stop()
                throw error
            }
            await gateway.stop()
        }
    }

    @Test(.slow) func `streams of HTTP 2 whose windows are shut are bounded too`() async throws {
        guard let python = try await HTTP2Program.interpreter() else { return }
        try await with(encryption: .http2) { gateway in
            let program = try HTTP2Program(python, gateway, "unread", "/api/notes/1")
            #expect(await program.readLine() == "held\n")
            let held = try await gateway.metrics()
            #expect(held["selene_unsent_answer_bytes"] == Double(12 * Self.partsBytes))
            #expect(held["selene_unsent_answer_bytes_on_disk"] >= Double(12 * Self.text.utf8.count))
            _ = try await program.report()
            let after = try await gateway.metrics { $0["selene_unsent_answer_bytes_on_disk"] == 0 }
            #expect(after["selene_unsent_answer_bytes"] == 0)
        }
    }
}
