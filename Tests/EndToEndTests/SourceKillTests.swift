import Foundation
import GatewayTestSupport
import TestSupport
import Testing

/// Sources by the commands and a gateway of their own process, which is killed while files come and go.
@Suite(.serialized) struct SourceKillTests {
    /// The notes as `path: text`, read by the command line.
    private func notes(_ server: ServeProcess, below folder: String) async throws -> [String] {
        try await server.request("GET", "/api/notes?limit=500").objects("notes").compactMap { note in
            guard let name = note["external_id"] as? String, let text = note["content"] as? String,
                name.hasPrefix(folder + "/")
            else { return nil }
            return name.dropFirst(folder.count + 1) + ": " + text
        }.sorted()
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `files that come and go while gateways are killed lose no note and leave none behind`(
        _ place: NotesPlace
    ) async throws {
        guard let home = try await SeleneHome.with(notesIn: place) else { return }
        let folder = try TemporaryFolder()
        let root = folder.url.resolvingSymlinksInPath().path
        var files: [String: String] = [:]
        func write(_ name: String, _ text: String) throws {
            try folder.write(name, text)
            files[name] = text
        }
        for number in 0..<60 { try write("f\(number % 6)/\(number).md", "note of number \(number)") }
        let added = try await home.run(["sources", "add", "vault", root, "--json"])
        #expect(added.status == 0, "\(added.errors)")
        #expect(added.output.contains(#""added": 60"#) || added.output.contains(#""added":60"#), "\(added.output)")
        var random = SeededGenerator(9)
        for round in 0..<4 {
            try await ServeProcess.with([:], home: home) { server in
                // While the gateway looks, at a moment that differs from round to round.
                for step in 0..<6 {
                    let name = files.keys.sorted().randomElement(using: &random) ?? ""
                    switch step % 3 {
                    case 0:
                        try FileManager.default.removeItem(atPath: folder.path(name))
                        files[name] = nil
                    case 1:
                        let new = "moved/\(round)-\(step).md"
                        try FileManager.default.createDirectory(
                            atPath: folder.path("moved"), withIntermediateDirectories: true)
                        try FileManager.default.moveItem(atPath: folder.path(name), toPath: folder.path(new))
                        files[new] = files.removeValue(forKey: name)
                    default: try write(name, "changed in round \(round) at \(step)")
                    }
                }
                try await Task.sleep(for: .milliseconds(300 + 150 * round))
                try await server.end(SIGKILL)
            }
        }
        try await ServeProcess.with([:], home: home) { server in
            let expected = files.map { "\($0.key): \($0.value)" }.sorted()
            try await waitUntil(within: .seconds(120)) { try await notes(server, below: root) == expected }
            // What was removed is in the bin, and comes back with its file.
            let shown = try await home.run(["sources", "show", "vault", "--json"])
            #expect(shown.status == 0 && shown.output.contains("following"), "\(shown.output) \(shown.errors)")
            let looked = try await home.run(["sources", "look", "vault"])
            #expect(
                looked.status == 0 && looked.output.contains("vault: following"), "\(looked.output) \(looked.errors)")
        }
        let removed = try await home.run(["sources", "remove", "vault", "--remove-notes"])
        #expect(removed.status == 0 && removed.output.contains("went to the bin"), "\(removed.errors)")
        let list = try await home.run(["sources", "list"])
        #expect(list.output.contains("No sources."))
    }

    @Test func `commands say what is wrong`() async throws {
        let home = try SeleneHome()
        let missing = try await home.run(["sources", "show", "nosuch"])
        #expect(missing.status == 1 && missing.errors.contains("there is no source nosuch"), "\(missing.errors)")
        let path = try await home.run(["sources", "add", "x", "/nowhere/at/all"])
        #expect(path.status == 1 && path.errors.contains("there is no folder or file"), "\(path.errors)")
        let folder = try TemporaryFolder()
        try folder.write("a.md", "a text")
        try folder.write("b.md", "")
        let added = try await home.run(["sources", "add", "x", folder.url.path])
        #expect(
            added.status == 0 && added.errors.contains("b.md: is empty; skipped"), "\(added.output) \(added.errors)")
        #expect(added.output.contains("x: 1 note stored, 0 updated"), "\(added.output)")
        let undecided = try await home.run(["sources", "remove", "x"])
        #expect(
            undecided.status == 64 && undecided.errors.contains("--keep-notes or --remove-notes"), "\(undecided.errors)"
        )
        try FileManager.default.removeItem(at: folder.url)
        let gone = try await home.run(["sources", "look", "x"])
        #expect(gone.status == 1 && gone.errors.contains("there is no folder"), "\(gone.errors)")
        let doctor = try await home.run(["doctor"])
        #expect(doctor.output.contains("sources: x: "), "\(doctor.output)")
        #expect(try await home.run(["sources", "pause", "x"]).output.contains("x: paused"))
        #expect(try await home.run(["sources", "remove", "x", "--keep-notes"]).output.contains("its notes stay"))
    }
}
