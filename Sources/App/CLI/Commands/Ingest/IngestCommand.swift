import ArgumentParser
import Gateway
import Ingest
import NoteSources
import Notes
import Storage
import Text

/// `selene ingest`: stores notes from files in the database.
struct IngestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest",
        abstract: "Store notes from files: Markdown, JSONL, BEIR, or another program's export.",
        discussion: """
            markdown    *.md below a folder; YAML front matter can set title, date, type, actionability, threads, tags
            jsonl       one object per line: title, content, created_at, note_type, actionability, threads, tags, id
            beir        a folder with corpus.jsonl (_id, title, text)
            kindle      My Clippings.txt
            chatgpt, claude, open-webui
                        conversations as JSON, or the folder or ZIP archive with them
            readwise    the CSV file of highlights
            enex        files of Evernote
            keep        a Takeout of Google Keep, as a folder or a ZIP archive
            mbox        letters, also .eml files
            html        *.html below a folder, or one such file
            bookmarks   the HTML file of a browser
            opml        outlines or feeds
            notion      an export as Markdown and CSV, as a folder or a ZIP archive

            --dry-run prints what would be stored, and needs no database.

            Run it again to update changed notes. Notes are identified by the path of their file, or by file and id, \
            or by content if they have no id; items of an export by the id that the program gave them. An unchanged file touches nothing. If a file changed and its note was \
            edited in the gateway too, both are kept and listed. A renamed file keeps its note; notes of deleted files \
            are listed and kept.

            Odd front matter, dates and lines are kept as text and listed. Files in other character sets are converted and listed. Files that cannot be read are listed and skipped (exit code 2). Symbolic \
            links are followed only to files within the folder; others are listed and skipped.

              selene ingest ~/notes
              selene ingest export.jsonl --format jsonl
              selene ingest "My Clippings.txt" --dry-run

            To have the notes follow a folder from now on: selene sources add NAME FOLDER.
            """)

    @Argument(help: "A folder or a file.")
    var path: String

    @Option(help: "The format of the files (default: recognized by the files).")
    var format: IngestFormat?

    @Flag(help: "Print how many notes there are, their first titles and all warnings; store nothing.")
    var dryRun = false

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print a JSON summary.")
    var json = false

    /// The output of `--json`.
    struct Summary: Encodable {
        var inserted: Int
        var updated: Int
        var unchanged: Int
        var empty: Int
        /// The number of symbolic links that lead out of the folder.
        var skipped_links: Int
        /// Files and lines that could not be read.
        var problems: [String]
        /// What was not read as it was written; the notes have all of their text.
        var warnings: [String]
        /// Notes that were kept beside their files, moved, or left deleted; and files that are gone.
        var remarks: [String]
        /// The number of files that are not of the format, by ending.
        var other_files: [String: Int]
        /// Fields that have no place in a note, with the number of notes that have them.
        var unread_fields: [String: Int]
    }

    func run() async throws {
        let path = path
        let format = format
        if dryRun { return try await IngestPreview.print(path, format: format, asJSON: json) }
        let summary = try await CommandContext.run(try options.load()) { context in
            try await Self.ingest(path, format: format, into: context)
        }
        if json {
            Terminal.line(try JSONOutput.text(summary))
        } else {
            Terminal.line(
                "\(Count.of(summary.inserted, "note")) stored, \(summary.updated) updated, \(summary.unchanged) unchanged"
                    + (summary.empty == 0 ? "" : ", \(summary.empty) empty and skipped")
                    + (summary.skipped_links == 0 ? "" : ", \(Count.of(summary.skipped_links, "link")) skipped")
                    + (summary.warnings.isEmpty ? "" : ", \(Count.of(summary.warnings.count, "warning"))")
                    + (summary.problems.isEmpty ? "" : ", \(summary.problems.count) unreadable"))
        }
        if !summary.problems.isEmpty { throw ExitCode(2) }
    }

    /// Reads notes and stores them.
    static func ingest(_ path: String, format: IngestFormat?, into context: CommandContext) async throws -> Summary {
        let source = try open(path, format: format)
        var bar = ProgressBar("ingest", unit: "KB")
        func kilobytes(_ bytes: Int) -> Int { bytes >> 10 + (bytes & 1023 > 0 ? 1 : 0) }
        let ingest = NoteFileIngest(notes: context.store.notes, claims: context.exportClaims.checked)
        let tally = try await ingest.run(source) { bytes, tally in
            bar.update(done: kilobytes(bytes), total: kilobytes(source.totalBytes), failed: tally.problems.count)
        }
        bar.finish()
        var remarks = tally.outcome.remarks.map(\.sentence)
        if source.format.isOfFiles {
            let known = try await context.store.notes.ingested(beginningWith: source.place + "/")
            remarks += known.filter { IngestStep.isGone($0.name) }.map {
                "\($0.name): the file is gone; note \($0.note) is kept (selene notes delete \($0.note))"
            }
        }
        let summary = Summary(
            inserted: tally.outcome.inserted, updated: tally.outcome.updated, unchanged: tally.outcome.unchanged,
            empty: tally.empty.count, skipped_links: source.skippedLinks.count, problems: tally.problems,
            warnings: tally.warnings, remarks: remarks, other_files: source.otherFiles,
            unread_fields: tally.unreadFields)
        list(summary, empty: tally.empty, links: source.skippedLinks)
        return summary
    }

    /// Opens a source; what is wrong with it is an error of the command line.
    static func open(_ path: String, format: IngestFormat?) throws -> NoteFileReader {
        do { return try NoteFileReader(path: path, format: format) } catch { throw ValidationError(error.message) }
    }

    /// Prints all that a person should know, each thing in a line.
    static func list(_ summary: Summary, empty: [String], links: [String]) {
        for line in summary.problems + summary.warnings + summary.remarks { Terminal.note("selene: \(line)") }
        for line in empty { Terminal.note("selene: \(line); skipped") }
        for link in links {
            Terminal.note("selene: \(link): skipped; it links out of the folder, or is not an ordinary file")
        }
        func counts(_ counts: [String: Int]) -> String {
            counts.sorted { $0.key < $1.key }.map { "\($0.key.isEmpty ? "no ending" : $0.key) \($0.value)" }
                .joined(separator: ", ")
        }
        if !summary.other_files.isEmpty {
            Terminal.note("selene: files of other kinds, not read: \(counts(summary.other_files))")
        }
        if !summary.unread_fields.isEmpty {
            Terminal.note(
                "selene: fields that a note does not have, and in how many notes: \(counts(summary.unread_fields))")
        }
    }
}

extension IngestFormat: ExpressibleByArgument {}
