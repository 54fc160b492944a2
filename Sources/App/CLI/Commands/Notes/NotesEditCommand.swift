import ArgumentParser
import Foundation
import GatewayAPI
import GatewayClient

/// `selene notes edit`: changes a note's title and content unless it changed in the meantime.
struct NotesEditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change a note's title and text.",
        discussion: """
            Opens the note in $VISUAL or $EDITOR (default: vi). With --file, or with standard input that is not a terminal, \
            reads the text from there. With --title or --content, changes only these.

            The text may begin with two lines --- with the title and the revision between them, as `selene notes show` \
            writes it. Text without them is the note's content; the title stays.

              selene notes edit 12
              selene notes edit 12 --title "Spring tide"
              selene notes show 12 > n.md; selene notes edit 12 --file n.md
              echo 'High water is at eight.' | selene notes edit 12

            Nothing is stored when the note has another revision than the text was made from: another device or program \
            changed it. Your text is then kept in a file, which is named. --force stores it all the same.

            Exit codes: 0 stored or unchanged, 1 failed, or the note changed in the meantime, 64 wrong usage.
            """)

    /// The most bytes of a text.
    private static let most = 8 << 20

    @Argument(help: "The note's number.")
    var id: Int64

    @Option(help: "The new title.")
    var title: String?

    @Option(help: "The new text.")
    var content: String?

    @Option(help: "Read the text from this file; - for standard input.")
    var file: String?

    @Option(help: "The revision that the change is made from (default: that of the text, else the present one).")
    var revision: String?

    @Flag(help: "Store the text also when the note changed in the meantime.")
    var force = false

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print the stored note as JSON.")
    var json = false

    func validate() throws {
        if content != nil, file != nil { throw ValidationError("--content goes without --file") }
        if force, revision != nil { throw ValidationError("--force goes without --revision") }
    }

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let service = RemoteDataService(try gateway.connect())
            let known = try await service.note(id)
            let text = try input(known)
            var update = NoteUpdate()
            if let title = title ?? text.title, title != known.title { update.title = title }
            if text.content != known.content { update.content = text.content }
            guard update != NoteUpdate() else {
                return try Terminal.report(known, asJSON: json) { Terminal.line("note \(id) is unchanged") }
            }
            if !force { update.revision = revision ?? text.revision ?? known.revision }
            let stored: Note
            do {
                stored = try await store(update, service)
            } catch let error as GatewayClientError {
                try keep(text, known)
                throw error
            }
            try Terminal.report(stored, asJSON: json) {
                Terminal.line("note \(id) has the revision \(stored.revision ?? "-") now")
            }
        }
    }

    /// Stores a change. A repeated request whose first reply was lost finds its own change, which is no conflict.
    private func store(_ update: NoteUpdate, _ service: RemoteDataService) async throws -> Note {
        do {
            return try await service.updateNote(id, update)
        } catch let error as GatewayClientError where error.status == 409 {
            let now = try await service.note(id)
            let isOwn = now.title == update.title ?? now.title && now.content == update.content ?? now.content
            guard isOwn else { throw error }
            return now
        }
    }

    private func input(_ known: Note) throws -> NoteText {
        if let content { return try given(content, known) }
        if let file, file != "-" {
            guard let text = try? String(contentsOf: URL(filePath: file), encoding: .utf8) else {
                throw ValidationError("--file: \(file) cannot be read as UTF-8 text")
            }
            return try NoteText(parsing: text, known: known.content)
        }
        if file == nil {
            if title != nil { return try given(known.content, known) }
            if LineInput.isTerminal {
                let edited = try TextEditor.edit(NoteText(known).text, name: "note-\(id)")
                do {
                    return try NoteText(parsing: edited, known: known.content)
                } catch let error as ValidationError {
                    let path = try TextEditor.keep(edited, name: "note-\(id)")
                    throw ValidationError("\(error.message); your text is in \(path)")
                }
            }
        }
        guard let text = try LineInput.whole(limit: Self.most) else {
            throw ValidationError("the text on standard input has more than \(Self.most) bytes")
        }
        return try NoteText(parsing: text, known: known.content)
    }

    /// The known note with another content, taken as it is.
    private func given(_ content: String, _ known: Note) throws -> NoteText {
        var text = NoteText(known)
        text.content = content
        return text
    }

    /// Keeps a text that was not stored, when no file has it.
    private func keep(_ text: NoteText, _ known: Note) throws {
        guard content == nil, file == nil || file == "-", text.content != known.content else { return }
        let path = try TextEditor.keep(text.text, name: "note-\(id)")
        Terminal.note("your text is in \(path)")
        Terminal.note(
            "compare it with selene notes show \(id); selene notes edit \(id) --file \(path) --force stores it")
    }
}
