import Evaluation
import Foundation

@testable import Evaluation
@testable import Ingest

/// Files that a person points the commands at.
enum FileTargets {
    private static func read(_ path: String, _ format: IngestFormat?) -> [Result<IngestedNote, IngestProblem>] {
        guard let reader = try? NoteReader(path: path, format: format) else { return [] }
        var all: [Result<IngestedNote, IngestProblem>] = []
        while true {
            let batch = reader.next(7)
            all += batch
            promise(all.count < 100_000, "there is no end")
            if batch.isEmpty { return all }
        }
    }

    /// A file is one note or one problem, and the same each time.
    static let markdown: FuzzBody = { bytes in
        let url = Scratch.write(bytes, "2026-01-31 note.md")
        let notes = read(url.path, .markdown)
        promise(notes.count == 1, "\(notes.count) notes of one file")
        promise(read(url.path, .markdown) == notes, "the second time is another")
        if case .success(let note) = notes[0] { promise(!note.title.isEmpty || !note.content.isEmpty, "an empty note") }
    }

    /// Lines are notes or problems, one each; a file that is one JSON document has more than lines.
    static let notes: FuzzBody = { bytes in
        let url = Scratch.write(bytes, "notes.jsonl")
        for format in [IngestFormat.jsonl, .beir] {
            promise(read(url.path, format).count <= bytes.count, "more notes than bytes")
        }
    }

    /// Exports of other programs. Their items are notes or problems, the same each time, whether the format is given or recognized.
    static let exports: FuzzBody = { bytes in
        var input = Input(bytes)
        let formats = IngestFormat.allCases.filter(\.isExport)
        let format = formats[Int(input.byte()) % formats.count]
        let url = Scratch.write(input.rest, "exports/" + name(of: format))
        defer { try? FileManager.default.removeItem(at: url) }
        let items = read(url.path, format)
        promise(items.count <= bytes.count + 1, "more items than bytes")
        promise(read(url.path, format) == items, "the second time is another")
        for case .success(let note) in items {
            promise(note.externalID?.hasPrefix(format.rawValue + ":") == true, "a note without a name of its format")
            promise(!note.title.contains("\n"), "a title of two lines")
            promise(!(note.title + note.content).allSatisfy(\.isWhitespace), "an empty note")
        }
        _ = read(url.path, nil)
    }

    /// A name of a file of a format.
    private static func name(of format: IngestFormat) -> String {
        switch format {
        case .kindle: "My Clippings.txt"
        case .readwise: "highlights.csv"
        case .evernote: "notes.enex"
        case .mbox: "mail.mbox"
        case .bookmarks: "bookmarks.html"
        case .opml: "outline.opml"
        case .notion: "Tasks 0123456789abcdef0123456789abcdef.csv"
        default: "conversations.json"
        }
    }

    /// Collections load or are refused; what is loaded scores.
    static let collection: FuzzBody = { bytes in
        var input = Input(bytes)
        let choice = input.byte()
        let separator: UInt8 = 0x1E
        let folder = Scratch.folder.appending(path: "collection")
        _ = Scratch.write(input.piece(upTo: separator), "collection/corpus.jsonl")
        let queries = choice & 1 == 0 ? "queries.jsonl" : "queries.tsv"
        _ = Scratch.write(input.piece(upTo: separator), "collection/" + queries)
        let qrels = Scratch.write(input.piece(upTo: separator), "collection/qrels/test.tsv")
        let run = Scratch.write(input.piece(upTo: separator), "run")
        let array = Scratch.write(input.rest, "vectors.npy")
        defer { try? FileManager.default.removeItem(at: folder) }
        if let collection = try? EvaluationCollection.load(folder) {
            promise(Set(collection.documents.map(\.id)).count == collection.documents.count, "an id stands twice")
        }
        _ = try? Qrels(contentsOf: qrels)
        if let ranked = try? RankedRun(contentsOf: run) {
            let again = Scratch.write(Array(ranked.trecText().utf8), "again")
            promise((try? RankedRun(contentsOf: again)) != nil, "a run that was written cannot be read")
        }
        _ = try? TopicFile.read(run)
        if let array = try? NumPyArray(contentsOf: array) {
            promise(array.values.count % max(1, array.columns) == 0, "a row is not whole")
        }
    }
}
