import ArgumentParser
import Foundation
import GatewayAPI
import GatewayClient
import Text

/// `selene notes delete`
struct NotesDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a note; it can be restored for 30 days.",
        discussion: """
            The gateway keeps the note with its earlier versions for 30 days: `selene notes deleted` lists it, \
            `selene notes restore` brings it back. --forever erases it at once, also a note that is deleted already. Backups \
            that were made before still have it.

              selene notes delete 12
              selene notes delete 12 --forever

            Exit codes: 0 deleted, 1 failed, or the note changed in the meantime, 64 wrong usage.
            """)

    @Argument(help: "The note's number.")
    var id: Int64

    @Option(help: "Delete the note only while it has this revision (default: any).")
    var revision: String?

    @Flag(help: "Erase the note with all its versions, so that nothing brings it back.")
    var forever = false

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let service = RemoteDataService(try gateway.connect())
            guard forever else {
                let done = try await service.deleteNote(id, revision: revision)
                return try Terminal.report(done, asJSON: json) {
                    Terminal.line("note \(id) is deleted; within 30 days, selene notes restore \(id) brings it back")
                }
            }
            do {
                _ = try await service.deleteNote(id, revision: revision)
            } catch let error as GatewayClientError where error.status == 404 {
                // A deleted note is still to be erased.
            }
            let done = try await service.eraseNoteHistory(id)
            try Terminal.report(done, asJSON: json) { Terminal.line("note \(id) is erased") }
        }
    }
}

/// `selene notes restore`
struct NotesRestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring back a deleted note, or an earlier version of a note.",
        discussion: """
            A deleted note comes back under its number, with its tags and threads. With --version, a note gets the title, text, \
            tags and threads of an earlier version; what it was until then stays as a version.

              selene notes restore 12
              selene notes restore 12 --version 40

            Exit codes: 0 restored, 1 failed, 64 wrong usage.
            """)

    @Argument(help: "The note's number.")
    var id: Int64

    @Option(help: "The version, which `selene notes history` lists (default: the last one of a deleted note).")
    var version: Int64?

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print the restored note as JSON.")
    var json = false

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let service = RemoteDataService(try gateway.connect())
            let note = try await service.restoreNote(id, NoteRestore(version: version))
            try Terminal.report(note, asJSON: json) {
                Terminal.line("note \(id) is restored: \(note.title)")
            }
        }
    }
}

/// `selene notes history`
struct NotesHistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List what a note was before it was edited, ingested or deleted.",
        discussion: """
            The gateway keeps the latest 50 versions of a note, up to 8 MiB, for a year; those of a deleted note for 30 days.

              selene notes history 12
              selene notes history 12 --version 40          the text of a version
              selene notes history 12 --erase

            Exit codes: 0 done, 1 failed, 64 wrong usage.
            """)

    @Argument(help: "The note's number.")
    var id: Int64

    @Option(help: "Print the text of this version.")
    var version: Int64?

    @Flag(help: "Erase all earlier versions; the note stays, unless it is deleted.")
    var erase = false

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if version != nil, erase { throw ValidationError("--erase goes without --version") }
    }

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let service = RemoteDataService(try gateway.connect())
            if erase {
                let done = try await service.eraseNoteHistory(id)
                return try Terminal.report(done, asJSON: json) {
                    Terminal.line("\(Count.of(done.versions, "version")) of note \(id) erased")
                }
            }
            if let version {
                let found = try await service.noteVersion(version, of: id)
                return try Terminal.report(found, asJSON: json) {
                    let text: String = "---\ntitle: \(found.title)\n---\n\(found.content ?? "")\n"
                    Terminal.write(text)
                }
            }
            let history = try await service.noteHistory(id)
            try Terminal.report(history, asJSON: json) {
                if history.deleted { Terminal.line("note \(id) is deleted; selene notes restore \(id) brings it back") }
                if history.versions.isEmpty { Terminal.line("note \(id) has no earlier versions") }
                for version in history.versions { Terminal.line(NoteVersionText.line(version)) }
            }
        }
    }
}

/// `selene notes deleted`
struct NotesDeletedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deleted",
        abstract: "List deleted notes, the last deleted first.",
        discussion: """
            Deleted notes are kept for 30 days.

              selene notes deleted
              selene notes restore 12
              selene notes delete 12 --forever

            Exit codes: 0 done, 1 failed, 64 wrong usage.
            """)

    @Option(help: "The most notes to list, 1 to 500 (default: 100).")
    var limit: Int?

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let service = RemoteDataService(try gateway.connect())
            let page = try await service.deletedNotes(PageRequest(limit: limit))
            try Terminal.report(page, asJSON: json) {
                if page.notes.isEmpty { Terminal.line("no deleted notes") }
                for note in page.notes { Terminal.line(NoteVersionText.deleted(note)) }
                if page.nextCursor != nil { Terminal.line("more notes follow; use --limit") }
            }
        }
    }
}

/// Versions of notes as lines of text.
enum NoteVersionText {
    /// `version 40  2026-11-27 11:02 UTC  edited    311 bytes  Title`
    static func line(_ version: NoteVersion) -> String {
        let reason = version.reason.padding(toLength: 8, withPad: " ", startingAt: 0)
        return "version \(version.version)  \(time(version.replacedAt))  \(reason)  \(version.bytes) bytes  "
            + version.title
    }

    /// `#12  deleted 2026-11-27 11:02 UTC, kept until 2026-12-27  Title`
    static func deleted(_ note: NoteVersion) -> String {
        let path = note.externalIds.first.map { " (\($0))" } ?? ""
        return "#\(note.noteId)  deleted \(time(note.replacedAt)), kept until \(note.keptUntil.prefix(10))  "
            + note.title + path
    }

    private static func time(_ iso: String) -> String { "\(iso.prefix(10)) \(iso.dropFirst(11).prefix(5)) UTC" }
}
