import FakeOllama
import Foundation
import GatewayTestSupport
import Storage
import TestSupport
import Testing

/// Text from outside on a terminal: whatever stands in notes, no command hands it on to be obeyed.
@Suite(.serialized) struct TerminalText {
    /// Sets a clipboard, a title, a colour; an 8-bit control sequence; text turned around.
    private static let evil = "\u{1B}]52;c;aGFja2Vk\u{7}\u{1B}]0;title\u{7}\u{1B}[31m\u{9B}2J\u{202E}\u{2028}\u{7F}"

    private func isHarmless(_ text: String) -> Bool {
        !text.unicodeScalars.contains { scalar in
            scalar != "\n" && scalar != "\t"
                && (scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                    || [0x202E, 0x2028].contains(scalar.value))
        }
    }

    @Test(.slow) func `no command prints control characters of notes, files, models or errors`() async throws {
        try await FakeOllama.withServer { fake in
            let home = try SeleneHome()
            let folder = home.url.appending(path: "notes \(Self.evil.replacing("/", with: ""))")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try "title \(Self.evil)\n\ntide \(Self.evil)".write(
                to: folder.appending(path: "a.md"), atomically: true, encoding: .utf8)
            try Data([0xFF, 0xFE]).write(to: folder.appending(path: "b \(Self.evil.replacing("/", with: "")).md"))
            let ollama = ["OLLAMA_HOST": fake.baseURL]
            let runs: [([String], [String: String])] = [
                (["ingest", folder.path], ollama), (["ingest", folder.path, "--json"], ollama),
                (["search", "tide", "--mode", "keyword", "--explain"], ollama),
                (["search", "tide", "--mode", "keyword", "--json"], ollama), (["find", "tide", Self.evil], ollama),
                (["search", "tide \(Self.evil)"], ["OLLAMA_HOST": "127.0.0.1:9"]),
                (["backfill", "--model", "m\(Self.evil)"], ollama), (["backfill", "status"], ollama),
                (["keys", "create", "k\(Self.evil)"], ollama), (["keys", "list"], ollama),
                (["keys", "revoke", "none\(Self.evil)"], ollama), (["spaces"], ollama), (["config"], ollama),
                (["config"], ["SELENE_HOST": "h\(Self.evil)"]), (["search", "x", "--thread", Self.evil], ollama),
                (["ingest", "/none/\(Self.evil)"], ollama), (["backup", "/none/\(Self.evil)"], ollama),
                (["restore", "/none/\(Self.evil)"], ollama), (["doctor"], ollama), (["doctor", "--json"], ollama),
                (["--\(Self.evil)"], ollama),
            ]
            for (arguments, environment) in runs {
                let outcome = try await home.run(arguments, environment)
                #expect(isHarmless(outcome.output), "\(arguments[0]): \(outcome.output.debugDescription)")
                #expect(isHarmless(outcome.errors), "\(arguments[0]): \(outcome.errors.debugDescription)")
            }
            // JSON loses nothing.
            let json = try await home.run(["search", "tide", "--mode", "keyword", "--json"], ollama)
            let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
            let note = (object?["results"] as? [[String: Any]])?.first
            #expect((note?["content"] as? String)?.contains(Self.evil) == true, "\(json.output)")
        }
    }
}
