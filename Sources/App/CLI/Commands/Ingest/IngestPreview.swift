import ArgumentParser
import Ingest
import NoteSources
import Storage
import Text

/// `selene ingest --dry-run`: reads notes as an ingest does and stores none of them.
enum IngestPreview {
    /// The titles that are printed at most.
    static let mostTitles = 10
    /// Notes that are read at once.
    private static let batch = 2000

    /// The output of `--json`.
    struct Summary: Encodable {
        /// The format that was given or recognized.
        var format: String
        var notes: Int
        var empty: Int
        /// The titles of the first notes.
        var titles: [String]
        /// The names of the threads that the notes would be in, sorted.
        var threads: [String]
        /// The number of symbolic links that lead out of the folder.
        var skipped_links: Int
        /// Files and items that could not be read.
        var problems: [String]
        /// What was not read as it was written; the notes have all of their text.
        var warnings: [String]
        /// The number of files that are not of the format, by ending.
        var other_files: [String: Int]
        /// Fields that have no place in a note, with the number of notes that have them.
        var unread_fields: [String: Int]
    }

    /// Reads all notes of a path and prints what they are.
    ///
    /// - Throws: exit code 2 when a file or an item cannot be read, as an ingest does.
    static func print(_ path: String, format: IngestFormat?, asJSON: Bool) async throws {
        let source = try IngestCommand.open(path, format: format)
        var summary = Summary(
            format: source.format.rawValue, notes: 0, empty: 0, titles: [], threads: [],
            skipped_links: source.skippedLinks.count, problems: [], warnings: [], other_files: source.otherFiles,
            unread_fields: [:])
        var (empty, threads) = ([String](), Set<String>())
        while true {
            let batch = await source.next(Self.batch)
            if batch.isAtEnd { break }
            try Task.checkCancellation()
            summary.notes += batch.drafts.count
            summary.titles += batch.drafts.prefix(mostTitles - summary.titles.count).map(\.title)
            threads.formUnion(batch.drafts.flatMap(\.threads))
            summary.problems += batch.problems
            summary.warnings += batch.warnings
            summary.unread_fields.merge(batch.unreadFields, uniquingKeysWith: +)
            empty += batch.empty
        }
        (summary.empty, summary.threads) = (empty.count, threads.sorted())
        let listed = IngestCommand.Summary(
            inserted: 0, updated: 0, unchanged: 0, empty: empty.count, skipped_links: summary.skipped_links,
            problems: summary.problems, warnings: summary.warnings, remarks: [], other_files: summary.other_files,
            unread_fields: summary.unread_fields)
        IngestCommand.list(listed, empty: empty, links: source.skippedLinks)
        if asJSON { Terminal.line(try JSONOutput.text(summary)) } else { write(summary) }
        if !summary.problems.isEmpty { throw ExitCode(2) }
    }

    private static func write(_ summary: Summary) {
        Terminal.line(
            "\(summary.format): \(Count.of(summary.notes, "note"))"
                + (summary.threads.isEmpty ? "" : " in \(Count.of(summary.threads.count, "thread"))")
                + (summary.empty == 0 ? "" : ", \(summary.empty) empty")
                + (summary.skipped_links == 0 ? "" : ", \(Count.of(summary.skipped_links, "link")) skipped")
                + (summary.warnings.isEmpty ? "" : ", \(Count.of(summary.warnings.count, "warning"))")
                + (summary.problems.isEmpty ? "" : ", \(summary.problems.count) unreadable") + "; nothing was stored")
        for title in summary.titles { Terminal.line("  \(title)") }
        let more = summary.notes - summary.titles.count
        if more > 0 { Terminal.line("  and \(more) more") }
    }
}
