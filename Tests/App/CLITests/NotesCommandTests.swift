import Foundation
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import TestSupport
import Testing

@testable import CLI

/// `selene notes` as a process, against a gateway on a socket.
@Suite(.serialized) struct NotesCommands {
    private func with(_ body: (ConnectedClient, Note) async throws -> Void) async throws {
        try await ConnectedClient.with(settings: ["backfill": "off"]) { setting in
            let note = try await setting.data.createNote(
                NewNote(title: "Spring tide", content: "The greatest range comes after full moon."))
            try await body(setting, note)
        }
    }

    private func notes(
        _ arguments: [String], _ setting: ConnectedClient, input: String? = nil
    ) async throws -> ClientProcess.Outcome {
        try await ClientProcess.run(["notes"] + arguments, setting, input: input)
    }

    @Test(.slow) func `a note is shown and edited by options, a file and standard input`() async throws {
        try await with { setting, note in
            let id = "\(note.id)"
            let shown = try await notes(["show", id], setting)
            #expect(
                shown.output == "---\ntitle: Spring tide\nrevision: \(note.revision ?? "")\n---\n\(note.content)\n",
                "\(shown.errors)")
            let same = try await notes(["edit", id], setting, input: shown.output)
            #expect(same.status == 0 && same.output == "note \(id) is unchanged\n", "\(same.errors)")
            let titled = try await notes(["edit", id, "--title", "Neap tide"], setting, input: "not read")
            #expect(titled.status == 0 && titled.output.hasPrefix("note \(id) has the revision "), "\(titled.errors)")
            let text = try await notes(["edit", id, "--json"], setting, input: "The smallest range.\n")
            let stored = try JSONDecoder().decode(Note.self, from: Data(text.output.utf8))
            #expect(stored.title == "Neap tide" && stored.content == "The smallest range.")
            let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).md")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(NoteText(stored).text.replacing("smallest", with: "least").utf8).write(to: file)
            #expect(try await notes(["edit", id, "--file", file.path], setting).status == 0)
            #expect(try await notes(["edit", id, "--content=---"], setting).status == 0)
            let last = try await setting.data.note(note.id)
            #expect(last.title == "Neap tide" && last.content == "---")
            // Its content looks like the beginning of a head, and comes back as it was.
            let again = try await notes(["show", id], setting).output
            #expect(try await notes(["edit", id], setting, input: again).output == "note \(id) is unchanged\n")
            // The file has an older revision.
            #expect(try await notes(["edit", id, "--file", file.path], setting).status == 1)
        }
    }

    @Test(.slow) func `a note is deleted, listed, restored and erased, and earlier versions come back`() async throws {
        try await with { setting, note in
            let id = "\(note.id)"
            #expect(try await notes(["edit", id, "--content", "The smallest range."], setting).status == 0)
            let history = try await notes(["history", id], setting)
            let version = try #require(history.output.firstMatch(of: /version (\d+)/)?.1, "\(history.errors)")
            #expect(history.output.contains("edited") && history.output.contains("Spring tide"))
            let old = try await notes(["history", id, "--version", String(version)], setting)
            #expect(old.output.contains(note.content), "\(old.errors)")

            let wrong = try await notes(["delete", id, "--revision", "000000000000"], setting)
            #expect(wrong.status == 1 && wrong.errors.contains("has changed"), "\(wrong.errors)")
            let deleted = try await notes(["delete", id], setting)
            #expect(deleted.status == 0 && deleted.output.contains("selene notes restore \(id)"), "\(deleted.errors)")
            #expect(try await notes(["show", id], setting).status == 1)
            #expect(try await notes(["deleted"], setting).output.hasPrefix("#\(id)  deleted "))
            #expect(try await notes(["history", id], setting).output.contains("note \(id) is deleted"))

            #expect(try await notes(["restore", id], setting).output == "note \(id) is restored: Spring tide\n")
            #expect(try await setting.data.note(note.id).content == "The smallest range.")
            #expect(try await notes(["restore", id, "--version", String(version)], setting).status == 0)
            #expect(try await setting.data.note(note.id).content == note.content)

            #expect(try await notes(["delete", id, "--forever"], setting).output == "note \(id) is erased\n")
            #expect(try await notes(["deleted"], setting).output == "no deleted notes\n")
            #expect(try await notes(["restore", id], setting).status == 1)
            #expect(try await notes(["delete", id, "--forever"], setting).status == 1)
        }
    }

    @Test(.slow) func `a note that changed in the meantime keeps its text, and so does the writer`() async throws {
        try await with { setting, note in
            let id = "\(note.id)"
            let read = try await notes(["show", id], setting).output
            _ = try await setting.data.updateNote(note.id, NoteUpdate(content: "Another device."))
            let refused = try await notes(["edit", id], setting, input: read.replacing("full", with: "new"))
            #expect(refused.status == 1 && refused.errors.contains("has changed since it was read"))
            let path = String(try #require(refused.errors.firstMatch(of: #/your text is in (\S+)\n/#)).1)
            defer { try? FileManager.default.removeItem(at: URL(filePath: path).deletingLastPathComponent()) }
            #expect(try String(contentsOfFile: path, encoding: .utf8).contains("after new moon."))
            #expect(try await setting.data.note(note.id).content == "Another device.")
            let old = try await notes(["edit", id, "--revision", note.revision ?? "", "--title", "x"], setting)
            #expect(old.status == 1 && !old.errors.contains("your text is in"))
            let forced = try await notes(["edit", id, "--file", path, "--force"], setting)
            #expect(forced.status == 0, "\(forced.errors)")
            #expect(try await setting.data.note(note.id).content == "The greatest range comes after new moon.")
        }
    }

    @Test(.slow) func `an editor on a terminal changes a note, unless another program did so meanwhile`() async throws {
        try await with { setting, note in
            let id = "\(note.id)"
            let (running, screen) = try Screen.start(
                ClientProcess.process(["notes", "edit", id], setting, ["VISUAL": "sed -i.bak s/full/new/"]))
            #expect(await screen.shows("note \(id) has the revision"))
            #expect(await eventually { !running.isRunning })
            #expect(try await setting.data.note(note.id).content == "The greatest range comes after new moon.")
            let editor = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sh")
            defer { try? FileManager.default.removeItem(at: editor) }
            try Data(
                """
                '\(SeleneHome.binary.path)' notes edit \(id) --content 'Another program.' </dev/null
                sed -i.bak s/new/half/ "$1"
                """.utf8
            ).write(to: editor)
            let (failed, after) = try Screen.start(
                ClientProcess.process(["notes", "edit", id], setting, ["VISUAL": "sh '\(editor.path)'"]))
            #expect(await after.shows("your text is in"))
            #expect(await after.shows("--force stores it"))
            #expect(await eventually { !failed.isRunning })
            #expect(failed.terminationStatus == 1)
            #expect(try await setting.data.note(note.id).content == "Another program.")
        }
    }

    @Test(.slow) func `wrong usage, missing notes and help`() async throws {
        try await with { setting, note in
            let id = "\(note.id)"
            for wrong in [
                ["edit", "x"], ["edit", id, "--content", "a", "--file", "b"], ["edit", id, "--file", "/nowhere"],
                ["edit", id, "--force", "--revision", "a"], ["show"],
            ] {
                #expect(try await notes(wrong, setting).status == 64, "\(wrong)")
            }
            let head = try await notes(["edit", id], setting, input: "---\ntags: sea\n---\nx")
            #expect(head.status == 64 && head.errors.contains("tags: sea"))
            #expect(try await notes(["edit", id], setting, input: "---\ntitle: x\n").status == 64)
            let empty = try await notes(["edit", id], setting, input: "")
            #expect(empty.status == 1 && empty.errors.contains("content"))
            let missing = try await notes(["show", "999"], setting)
            #expect(missing.status == 1 && missing.errors.contains("there is no note 999"))
            let help = try await notes(["edit", "--help"], setting)
            #expect(help.status == 0 && help.output.contains("--force stores it all the same"))
        }
    }

    @Test func `a file with line ends of Windows has front matter, too`() throws {
        let text = try NoteText(parsing: "---\r\ntitle:  A b \r\n\r\n---\r\nc\r\nd\r\n", known: "x\n")
        #expect(text.title == "A b" && text.revision == nil && text.content == "c\r\nd\r\n")
    }

    @Test(arguments: ["", "a", "a\n", "---\nb", "\n\n", "title: x\n---\n", "a\r\nb", "a\r\n", "ü 🌊\n"])
    func `the text form gives back what it was made of`(content: String) throws {
        var note = Note(id: 1, title: "a: b", content: content, createdAt: "2026-01-01 00:00:00")
        note.revision = "0123456789ab"
        #expect(try NoteText(parsing: NoteText(note).text, known: content) == NoteText(note))
    }
}
