public import ArgumentParser
import Gateway
public import Ingest
import Storage

/// `selene ingest`: stores notes from files in the database.
struct IngestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest",
        abstract: "Store notes from a Markdown folder, a JSONL file or a BEIR collection.",
        discussion: """
            markdown  *.md below a folder; YAML front matter can set title, date, type, actionability, threads, tags
            jsonl     one object per line: title, content, created_at, note_type, actionability, threads, tags, id
            beir      a folder with corpus.jsonl (_id, title, text)

            Run it again to update changed notes. Notes are identified by path or id, or by content if they have \
            neither. Unreadable notes are reported and skipped (exit code 2). Symbolic links are followed only to \
            files within the folder; others are reported and skipped.

              selene ingest ~/notes
              selene ingest export.jsonl --format jsonl
            """)

    @Argument(help: "A folder or a file.")
    var path: String

    @Option(help: "markdown, jsonl or beir (default: guessed from the path).")
    var format: IngestFormat?

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
        var problems: [String]
    }

    func run() async throws {
        let path = path
        let format = format
        let summary = try await Workbench.run(try options.load()) { bench in
            try await Self.ingest(path, format: format, into: bench.insert)
        }
        if json {
            Terminal.line(try JSONOutput.text(summary))
        } else {
            Terminal.line(
                "\(summary.inserted) notes stored, \(summary.updated) updated, \(summary.unchanged) unchanged"
                    + (summary.empty == 0 ? "" : ", \(summary.empty) empty and skipped")
                    + (summary.skipped_links == 0 ? "" : ", \(summary.skipped_links) links skipped")
                    + (summary.problems.isEmpty ? "" : ", \(summary.problems.count) unreadable"))
        }
        if !summary.problems.isEmpty { throw ExitCode(2) }
    }

    /// Notes that are stored in one transaction.
    static let batch = 2000

    /// Reads notes and stores them in batches. The next batch is read while one is stored.
    static func ingest(
        _ path: String, format: IngestFormat?, into insert: ([NoteDraft]) async throws -> InsertOutcome
    ) async throws -> Summary {
        let source: NoteSource
        do {
            source = try NoteSource(path: path, format: format)
        } catch {
            throw ValidationError(error.message)
        }
        var outcome = InsertOutcome()
        var problems: [String] = []
        var empty = 0
        var bar = ProgressBar("ingest", unit: "KB")
        var upcoming = Task { await source.next(Self.batch) }
        while true {
            let batch = await upcoming.value
            if batch.isAtEnd { break }
            try Task.checkCancellation()
            upcoming = Task { await source.next(Self.batch) }
            problems += batch.problems
            empty += batch.empty
            outcome += try await insert(batch.drafts)
            bar.update(done: batch.bytesRead >> 10, total: source.totalBytes >> 10, failed: problems.count)
        }
        bar.finish()
        for problem in problems.prefix(20) { Terminal.note("selene: \(problem)") }
        if problems.count > 20 { Terminal.note("selene: … and \(problems.count - 20) more") }
        for link in source.skippedLinks.prefix(20) {
            Terminal.note("selene: \(link): skipped; it links out of the folder, or is not an ordinary file")
        }
        return Summary(
            inserted: outcome.inserted, updated: outcome.updated, unchanged: outcome.unchanged, empty: empty,
            skipped_links: source.skippedLinks.count, problems: problems)
    }
}

extension IngestFormat: ExpressibleByArgument {}
