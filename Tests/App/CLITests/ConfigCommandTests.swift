import Foundation
import Gateway
import GatewayTestSupport
import Server
import Testing

@testable import CLI

/// `selene config`: the file that it writes, and what it says of a wrong one.
@Suite struct ConfigFileOfTheCommandLine {
    private struct Shown: Decodable {
        var key: String
        var value: String?
        var origin: String
    }

    private func settings(_ home: SeleneHome, _ arguments: [String] = []) async throws -> [Shown] {
        let outcome = try await home.run(["config", "--json"] + arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try JSONDecoder().decode([Shown].self, from: Data(outcome.output.utf8))
    }

    @Test func `the file of init changes nothing, and has every setting with its default`() async throws {
        let home = try SeleneHome()
        let before = try await settings(home)
        let written = try await home.run(["config", "init"])
        let file = home.url.appending(path: ".selene/config.yaml")
        #expect(written.status == 0 && written.output == "wrote \(file.path)\n", "\(written)")
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let after = try await settings(home)
        #expect(after.map(\.value) == before.map(\.value) && !after.contains { $0.origin == "file" })
        let again = try await home.run(["config", "init"])
        #expect(again.status == 64 && again.errors.contains("is there already"), "\(again)")
        #expect(try await home.run(["config", "init", "--output", file.path]).status == 1)

        // Every line counts without its #.
        let text = try String(contentsOf: file, encoding: .utf8)
        let lines = text.split(separator: "\n").map { line in
            line.hasPrefix("#") && !line.hasPrefix("# ") ? line.dropFirst() : line
        }
        let whole = home.url.appending(path: "whole.yaml")
        try lines.joined(separator: "\n").write(to: whole, atomically: true, encoding: .utf8)
        let all = try await settings(home, ["--config", whole.path])
        #expect(all.count == GatewayConfiguration.settings.count)
        for (setting, shown) in zip(GatewayConfiguration.settings, all) where shown.origin == "file" {
            #expect(shown.key == setting.key && (setting.isSecret || shown.value == setting.fallback), "\(shown)")
        }
        let named = all.filter { $0.origin == "file" }.map(\.key)
        let other = Set(all.filter { $0.origin == "environment" }.map(\.key))
        let expected = GatewayConfiguration.settings.filter { $0.fallback != nil && !other.contains($0.key) }
        #expect(named == expected.map(\.key))
    }

    @Test(arguments: [
        ("prot: 1", "line 1: unknown key \"prot\"; did you mean \"port\"?"),
        ("# nothing\n\nport: x", "\"port\" in line 3 of the configuration file is \"x\""),
        ("port: 1\nport: 2", "\"port\" is there twice"), ("port: 1\nhost ::1", "line 2: "),
        ("host: [::1", "the configuration file"), ("port:\n  - a: 1", "line 1: \"port\": expected a text"),
        ("- port", "expected keys with values"), ("just words", "expected keys with values"),
        ("briefing_at: noon", "\"briefing_at\" in line 1 of the configuration file is \"noon\", but a time of day"),
        (String(repeating: "[", count: 5_000), "nested too deep"),
    ])
    func `a wrong line is named`(text: String, expected: String) async throws {
        let home = try SeleneHome()
        let file = home.url.appending(path: "c.yaml")
        try Data(text.utf8).write(to: file)
        let outcome = try await home.run(["config", "--config", file.path])
        #expect(outcome.status == 64 && outcome.errors.contains(expected), "\(outcome.errors)")
        #expect(outcome.errors.utf8.count < 800)
    }

    @Test func `yaml and json say the same`() async throws {
        let home = try SeleneHome()
        let yaml = """
            # a comment
            port: 8080   # the usual one is taken
            backfill: off
            origins: [https://a.example.org, https://b.example.org]
            briefing_at: 06:30
            embed_model:
            model_aliases:
              small: llama3.2
              large: "123"
            """
        let json = """
            {"port": 8080, "backfill": "off", "origins": ["https://a.example.org", "https://b.example.org"],
            \t"briefing_at":"06:30", "embed_model": null, "model_aliases": {"small": "llama3.2", "large": "123"}}
            """
        var found: [[Shown]] = []
        for (name, text) in [("c.yaml", yaml), ("c.json", json)] {
            let file = home.url.appending(path: name)
            try Data(text.utf8).write(to: file)
            found.append(try await settings(home, ["--config", file.path]).filter { $0.origin == "file" })
        }
        #expect(found[0].map(\.key) == found[1].map(\.key) && found[0].map(\.value) == found[1].map(\.value))
        let values = Dictionary(uniqueKeysWithValues: found[0].map { ($0.key, $0.value) })
        #expect(values.count == 5 && values["port"] == "8080" && values["backfill"] == "off")
        #expect(values["origins"] == "https://a.example.org,https://b.example.org" && values["briefing_at"] == "06:30")
        #expect(values["model_aliases"] == #"{"large":"123","small":"llama3.2"}"#, "\(values)")
        // JSON has escapes of two parts.
        let file = home.url.appending(path: "emoji.json")
        try Data(#"{"export": "/tmp/\ud83d\ude00"}"#.utf8).write(to: file)
        #expect(try await settings(home, ["--config", file.path]).contains { $0.value == "/tmp/😀" })
    }

    @Test func `of two files none counts silently`() async throws {
        let home = try SeleneHome()
        let folder = home.url.appending(path: ".selene")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("{\"port\": 8081}".utf8).write(to: folder.appending(path: "config.json"))
        #expect(try await settings(home).contains { $0.key == "port" && $0.value == "8081" && $0.origin == "file" })
        try Data("port: 8082".utf8).write(to: folder.appending(path: "config.yaml"))
        let both = try await home.run(["config"])
        #expect(both.status == 64 && both.errors.contains("there are two configuration files"), "\(both)")
    }

    @Test func `a setting is changed in the file, and a wrong one is not`() async throws {
        let home = try SeleneHome()
        let file = home.url.appending(path: ".selene/config.yaml")
        let set = try await home.run(["config", "set", "briefing_at", "06:30"])
        #expect(set.status == 0 && set.output == "briefing_at is 06:30 (file), in \(file.path)\n", "\(set)")
        let text = try String(contentsOf: file, encoding: .utf8)
        for (arguments, words) in [
            (["briefing_at", "noon"], "a time of day"), (["breifing_at", "7"], "did you mean \"briefing_at\"?"),
        ] {
            let wrong = try await home.run(["config", "set"] + arguments)
            #expect(wrong.status == 64 && wrong.errors.contains(words), "\(wrong)")
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
        let back = try await home.run(["config", "set", "briefing_at"])
        #expect(back.output == "briefing_at is 07:00 (default), in \(file.path)\n", "\(back)")
        #expect(
            try await home.run(["config", "set", "week_start", "sunday"], ["SELENE_WEEK_START": "monday"]).output
                .contains("week_start is monday (environment)"))
    }
}
