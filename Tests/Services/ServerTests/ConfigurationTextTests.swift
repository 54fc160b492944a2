import Foundation
import Testing

@testable import Server

/// Texts of configuration files, as they are changed by a program.
@Suite struct TextsOfConfigurationFiles {
    private static let template = """
        # Notes

        # when (SELENE_BRIEFING_AT)
        #briefing_at: 07:00
        """

    private static let commented = """
        # a person's file
        port: 8080   # the usual one is taken
        origins:
        - https://a.example.org   # the wiki
        - https://b.example.org
        memories: off

        # the end
        """

    @Test(
        arguments: [
            ("", "memories", "off", "memories: off\n"),
            (template, "briefing_at", "06:30", template + "\nbriefing_at: 06:30\n"),
            (template + "\nbriefing_at: 06:30\n", "briefing_at", "08:00", template + "\nbriefing_at: 08:00\n"),
            (template + "\nbriefing_at: 06:30\n", "briefing_at", nil, template + "\n"),
            ("memories: off\n", "memories", nil, "#memories: off\n"),
            (
                "port: 1 # mine\nmemories: on", "port", "2",
                "#port: 1 # mine\nport: 2\nmemories: on\n"
            ),
            (#"{"port": 1, "host": "::1"}"#, "port", nil, "{\n  \"host\" : \"::1\"\n}\n"),
            (#"{"port": 1}"#, "memories", "off", "{\n  \"memories\" : \"off\",\n  \"port\" : 1\n}\n"),
            ("a: 1\n", "b", "it's: # here ", "a: 1\nb: 'it''s: # here '\n"),
            ("a: 1\n", "b", "", "a: 1\nb: ''\n"), ("a: 1\n", "b", "null", "a: 1\nb: 'null'\n"),
            ("list:\n  - x\n  - y\nb: 1\n", "list", "z", "#list:\n#  - x\n#  - y\nlist: z\nb: 1\n"),
        ] as [(String, String, String?, String)])
    func `a key is changed, and nothing else`(text: String, key: String, value: String?, expected: String) throws {
        #expect(try ConfigurationText.setting(key, to: value, in: text, "file") == expected)
    }

    @Test(arguments: [
        ("{a: 1, b: 2}", "a"), ("--- \na: 1\n...\n", "b"), ("a: |\n  text\n\n  more\nb: 1\n", "a"),
        ("? a\n: 1\nb: 2\n", "a"),
    ])
    func `what only a person can change is refused or changed rightly`(text: String, key: String) throws {
        let old = try ConfigurationText.entries(of: Data(text.utf8), "file")
        do {
            let new = try ConfigurationText.setting(key, to: "x", in: text, "file")
            var expected = Dictionary(uniqueKeysWithValues: old.map { ($0.key, $0.value) })
            expected[key] = "x"
            let found = try ConfigurationText.entries(of: Data(new.utf8), "file")
            #expect(Dictionary(uniqueKeysWithValues: found.map { ($0.key, $0.value) }) == expected)
        } catch {
            #expect(error.message.contains("only an editor can change"), "\(error)")
        }
    }

    @Test func `changes of a file with comments keep all that a person wrote`() throws {
        var text = Self.commented
        for (key, value) in [
            ("port", "1"), ("memories", "on"), ("origins", "https://c.example.org"), ("memories", nil),
        ]
            as [(String, String?)]
        {
            text = try ConfigurationText.setting(key, to: value, in: text, "file")
        }
        for words in ["a person's file", "the usual one is taken", "the wiki", "b.example.org", "the end"] {
            #expect(text.contains(words), "\(text)")
        }
        let entries = try ConfigurationText.entries(of: Data(text.utf8), "file")
        #expect(entries.map(\.key) == ["port", "origins"])
        #expect(entries.map(\.value) == ["1", "https://c.example.org"])
    }

    @Test func `a file keeps its mode, and a link stays one`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "selene-config-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, link) = (folder.appending(path: "real.yaml"), folder.appending(path: "link.yaml"))
        try Data("port: 1\n".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        try await ConfigurationFile.set("port", to: "2", in: link.path) { _ in }
        #expect(try String(contentsOf: file, encoding: .utf8) == "port: 2\n")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o640)
        struct Refused: Error {}
        await #expect(throws: Refused.self) {
            try await ConfigurationFile.set("port", to: "3", in: file.path) { _ in throw Refused() }
        }
        await #expect(throws: ConfigurationError.self) {
            try await ConfigurationFile.set("port", to: "3\nhost: 0.0.0.0", in: file.path) { _ in }
        }
        await #expect(throws: ConfigurationError.self) {
            try await ConfigurationFile.set("port", to: "3", in: file.path) { _ in
                try Data("port: 9\n".utf8).write(to: file)
            }
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == "port: 9\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        // A new file is the owner's alone.
        let new = folder.appending(path: "deep/new.yaml")
        try await ConfigurationFile.set("port", to: "4", in: new.path) { _ in }
        #expect(try FileManager.default.attributesOfItem(atPath: new.path)[.posixPermissions] as? Int == 0o600)
        #expect(try ConfigurationText.entries(of: Data(contentsOf: new), "file").map(\.value) == ["4"])
    }
}
