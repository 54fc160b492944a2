import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing

/// `selene mcp` as a process.
@Suite(.serialized) struct MCPCommands {
    private static let start =
        #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#

    /// The replies of a run by their ids, as text; `null` for those without one.
    private func replies(_ output: String) throws -> [String: [String: Any]] {
        var found: [String: [String: Any]] = [:]
        for line in output.split(separator: "\n") {
            let reply = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
            #expect(reply["jsonrpc"] as? String == "2.0")
            let id = reply["id"].map { "\($0)" } ?? "none"
            found[id == "<null>" ? "null" : id] = reply
        }
        return found
    }

    /// Runs the binary with standard input to its end.
    private func run(_ home: SeleneHome, _ arguments: [String], input: String) async throws -> (
        status: Int32, output: String
    ) {
        let process = home.process(arguments)
        let file = home.url.appending(path: "in-\(UUID().uuidString)")
        let output = home.url.appending(path: "out-\(UUID().uuidString)")
        try Data(input.utf8).write(to: file)
        try Data().write(to: output)
        process.standardInput = try FileHandle(forReadingFrom: file)
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        try await home.finish(process)
        return (process.terminationStatus, try String(contentsOf: output, encoding: .utf8))
    }

    @Test func `the database file answers line by line, whatever a line is, and the end of input ends`() async throws {
        let home = try SeleneHome()
        let database = try GatewayDatabase(path: home.database)
        _ = try await database.notes.insert([NoteDraft(title: "tide", content: "high at noon")])
        try database.close()
        let lines = [
            Self.start, #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, "", "junk",
            #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_note","arguments":{"note":1}}}"#,
            #"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search_notes","arguments":{"query":"noon"}}}"#,
            #"{"jsonrpc":"2.0","id":"long","method":"x","params":{"a":""# + String(repeating: "x", count: 1 << 20)
                + #""}}"#,
            #"{"jsonrpc":"2.0","id":4,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
            #"{"jsonrpc":"2.0","id":5,"method":"none"}"#,
        ]
        let outcome = try await run(home, ["mcp"], input: lines.joined(separator: "\n"))
        #expect(outcome.status == 0)
        let replies = try replies(outcome.output)
        #expect(Set(replies.keys) == ["1", "2", "3", "4", "5", "null"], "\(replies.keys)")
        #expect((replies["1"]?["result"] as? [String: Any])?["protocolVersion"] as? String == "2025-06-18")
        let read = try #require(replies["2"]?["result"] as? [String: Any])
        let whole = "\(read)"
        #expect(whole.contains("high at noon") && read["structuredContent"] != nil)
        let found = try #require((replies["3"]?["result"] as? [String: Any])?["structuredContent"] as? [String: Any])
        #expect(found["source"] as? String == "keyword_fallback" && (found["results"] as? [Any])?.count == 1)
        #expect((replies["4"]?["result"] as? [String: Any])?["resultType"] as? String == "complete")
        #expect((replies["5"]?["error"] as? [String: Any])?["code"] as? Int == -32601)
        #expect(outcome.output.contains("longer than 1048576 bytes") && outcome.output.contains("not valid JSON"))
    }

    @Test func `a subscription reports a change of another process and ends when it is cancelled`() async throws {
        let home = try SeleneHome()
        let database = try GatewayDatabase(path: home.database)
        _ = try await database.notes.insert([NoteDraft(title: "tide", content: "high at noon")])
        let process = home.process(["mcp"])
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = Locked("")
        output.fileHandleForReading.readabilityHandler = { handle in
            let piece = String(decoding: handle.availableData, as: UTF8.self)
            text.change { $0 += piece }
        }
        func send(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }
        try send(
            #"{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"notifications":{"resourceSubscriptions":["selene://note/1"]}}}"#
        )
        try await waitUntil { text.value.contains("subscriptions/acknowledged") }
        var change = NoteChange()
        change.content = "high at one"
        _ = try await database.notes.update(1, change)
        try await waitUntil { text.value.contains("resources/updated") }
        try send(#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}"#)
        try input.fileHandleForWriting.close()
        try await waitUntil { !process.isRunning }
        #expect(process.terminationStatus == 0)
        try database.close()
    }

    @Test func `a bridge passes messages on to a gateway, with its key and its refusals`() async throws {
        try await ConnectedClient.with { setting in
            _ = try await setting.database.notes.insert([NoteDraft(title: "tide", content: "high at noon")])
            let key = try await setting.database.keys.create(name: "k", grant: KeyGrant(scopes: [.notesRead]))
            try await setting.gateway.waitForKeys()
            let call =
                #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_note","arguments":{"note":1}}}"#
            let write =
                #"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"capture_note","arguments":{"content":"x"}}}"#
            let input = [Self.start, call, write].joined(separator: "\n")
            let outcome = try await ClientProcess.run(
                ["mcp"], setting, input: input, ["SELENE_KEY": key.secret])
            #expect(outcome.status == 0, "\(outcome.errors)")
            let replies = try replies(outcome.output)
            let (read, refusal) = ("\(replies["2"]?["result"] ?? "")", "\(replies["3"]?["error"] ?? "")")
            #expect(read.contains("high at noon") && refusal.contains("notes:write"), "\(outcome.output)")
            let stranger = try await ClientProcess.run(["mcp"], setting, input: Self.start)
            #expect(stranger.status == 0 && stranger.output.contains("HTTP status 401"), "\(stranger.output)")
        }
    }

    @Test(.slow) func `the settings of every assistant are printed, without a key`() async throws {
        let home = try SeleneHome()
        for host in ["claude", "cursor", "vscode", "codex"] {
            let local = try await home.run(["mcp", "config", host, "--database", "/n \"1\".sqlite"])
            #expect(local.status == 0 && local.output.contains(#"\"1\".sqlite"#) && local.output.contains("mcp"))
            let remote = try await home.run(
                ["mcp", "config", host, "--url", "10.0.0.2:5678/"], ["SELENE_KEY": "secret-of-mine"])
            #expect(remote.output.contains("http://10.0.0.2:5678/mcp") && remote.output.contains("SELENE_KEY"))
            #expect(!remote.output.contains("secret-of-mine"))
            if host != "codex" {
                _ = try JSONSerialization.jsonObject(with: Data(local.output.utf8))
                _ = try JSONSerialization.jsonObject(with: Data(remote.output.utf8))
            }
        }
        #expect(try await home.run(["mcp", "config", "emacs"]).status == 64)
        #expect(try await home.run(["mcp", "config", "claude", "--url", "x", "--database", "y"]).status == 64)
    }
}
