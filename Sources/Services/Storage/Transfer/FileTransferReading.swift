import Database
import Foundation
import GRDB
import GatewayAPI

/// Reads notes of a file as records. Values of unexpected types are read as the gateway reads them, and kept beside.
struct FileTransferReading {
    /// The columns that hold the file's own keys.
    private static let keys: Set<String> = ["id", "note_id", "raw_note_id"]

    private static let tooLarge =
        "values beyond the gateway's limit of size are left out; the gateway does not read them"
    private static let coerced =
        "values of another type are stored as the gateway reads them; the originals are kept beside"

    private let layout: FileLayout
    private let rawNames: [String]
    private let processedNames: [String]
    private let selection: String
    private(set) var remarks: [TransferRemark] = []

    init(_ layout: FileLayout) {
        self.layout = layout
        let columns = layout.columns
        rawNames = columns.raw.subtracting(["id"]).sorted()
        processedNames = columns.processedNote == nil ? [] : columns.processed.subtracting(Self.keys).sorted()
        var parts = ["n.id AS id", "\(columns.processedNote.map { "p.\($0) IS NOT NULL" } ?? "0") AS has"]
        var large = ["''"]
        for (alias, names) in [("n", rawNames), ("p", processedNames)] {
            for (place, name) in names.enumerated() {
                let column = "\(alias).\(name.quotedDatabaseIdentifier)"
                let limit = alias == "n" && name == "content" ? ValueLimit.text : ValueLimit.field
                parts.append("\(ValueLimit.bounded(column, limit)) AS \(alias)\(place)")
                let title = "\(alias == "n" ? "raw" : "processed")_notes.\(name.replacing("'", with: "''"))"
                large.append(
                    "CASE WHEN \(ValueLimit.bounded(column, limit)) IS NULL AND \(column) IS NOT NULL "
                        + "THEN '\(title) ' ELSE '' END")
            }
        }
        parts.append("\(large.joined(separator: " || ")) AS large")
        selection = parts.joined(separator: ", ")
    }

    private mutating func remark(_ subject: String, _ text: String, _ id: Int64) {
        remarks.add(TransferRemark(subject, 1, text, ids: [id]))
    }

    /// Reads the notes of a range with their sources, threads and, unless they are not wanted, vectors.
    mutating func notes(
        _ database: Database, _ range: ClosedRange<Int64>, withVectors: Bool = true
    ) throws -> [TransferNote] {
        let bounds: StatementArguments = [range.lowerBound, range.upperBound]
        let columns = layout.columns
        let join = columns.processedNote == nil ? "" : "LEFT JOIN processed_notes p ON \(columns.processedJoin)"
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT \(selection) FROM raw_notes n \(join)
                WHERE n.id BETWEEN ? AND ? AND \(columns.notes.hasNumber("n")) ORDER BY n.id
                """, arguments: bounds)
        var (found, places) = ([TransferNote](), [Int64: Int]())
        while let row = try rows.next() {
            guard let id = row.integer("id") else { continue }
            let record = record(id, row)
            if let place = places[id] {
                remark("processed_notes", "notes with several rows: the last row is moved, the one that is read", id)
                found[place].record = record
            } else {
                places[id] = found.count
                found.append(TransferNote(record: record))
            }
        }
        try addSources(database, bounds, places, &found)
        try addThreads(database, bounds, places, &found)
        if withVectors { try addVectors(database, range, places, &found) }
        return found
    }

    private mutating func record(_ id: Int64, _ row: Row) -> NoteRecord {
        var cells: [String: ExtraColumns.Cell] = [:]
        for (place, name) in rawNames.enumerated() { cells[name] = ExtraColumns.Cell(row.raw("n\(place)")) }
        func alias(_ name: String) -> String { rawNames.firstIndex(of: name).map { "n\($0)" } ?? "" }
        var processed: [String: ExtraColumns.Cell] = [:]
        if row.integer("has") == 1 {
            for (place, name) in processedNames.enumerated() {
                processed[name] = ExtraColumns.Cell(row.raw("p\(place)"))
            }
        }
        for column in (row.text("large") ?? "").split(separator: " ") {
            remark(String(column), Self.tooLarge, id)
        }
        let isHidden = cells["test_run"] != nil && cells["test_run"] != .null
        var record = NoteRecord(
            id: id, title: row.text(alias("title")) ?? "", content: row.text(alias("content")) ?? "",
            createdAt: row.date(alias("created_at")) ?? "", noteType: processed["note_type"]?.asText,
            actionability: processed["actionability"]?.asText, tags: StoredList.decode(row.text(alias("tags"))),
            source: row.text(alias("source_type")), isHidden: isHidden
        ).storable
        var extra = ExtraColumns()
        let derived = record.derived
        for (name, cell) in cells {
            switch name {
            case "title", "content", "created_at", "source_type":
                if let odd = cell.odd {
                    extra.raw[name] = odd
                    remark("raw_notes.\(name)", Self.coerced, id)
                }
            case "tags":
                let usual: ExtraColumns.Cell = StoredList.encode(record.tags).map { .text($0) } ?? .null
                if cell != .null, cell != usual { extra.raw[name] = cell }
            case _ where derived[name] != nil:
                if cell != derived[name] { extra.raw[name] = cell }
            default:
                if cell != .null { extra.raw[name] = cell }
            }
        }
        for (name, cell) in processed where cell != .null {
            guard name == "note_type" || name == "actionability" else {
                extra.processed[name] = cell
                continue
            }
            if let odd = cell.odd {
                extra.processed[name] = odd
                remark("processed_notes.\(name)", Self.coerced, id)
            }
        }
        record.extra = extra.text
        return record
    }

    private func addSources(
        _ database: Database, _ bounds: StatementArguments, _ places: [Int64: Int], _ notes: inout [TransferNote]
    ) throws {
        let rows = try Row.fetchCursor(
            database, sql: "SELECT note_id, external_id FROM gateway_note_sources WHERE note_id BETWEEN ? AND ?",
            arguments: bounds)
        while let row = try rows.next() {
            guard let place = row.integer(0).flatMap({ places[$0] }), let name = row.text(1) else { continue }
            notes[place].record.externalIDs.append(NoteRecord.clean(name))
        }
        for place in notes.indices where notes[place].record.externalIDs.count > 1 {
            notes[place].record.externalIDs = NoteRecord.ordered(notes[place].record.externalIDs)
        }
    }

    private func addThreads(
        _ database: Database, _ bounds: StatementArguments, _ places: [Int64: Int], _ notes: inout [TransferNote]
    ) throws {
        let columns = layout.columns
        guard columns.hasThreads, let note = columns.threadNote, columns.threads.isSuperset(of: ["id", "name"]) else {
            return
        }
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT tn.\(note), t.id, \(ValueLimit.bounded("t.name")) FROM thread_notes tn
                JOIN threads t ON t.id = tn.thread_id
                WHERE tn.\(note) BETWEEN ? AND ? AND typeof(tn.\(note)) = 'integer' AND typeof(t.id) = 'integer'
                ORDER BY t.id
                """, arguments: bounds)
        while let row = try rows.next() {
            guard let place = row.integer(0).flatMap({ places[$0] }), let thread = row.integer(1),
                notes[place].record.threads.last?.id != thread
            else { continue }
            notes[place].record.threads.append(.init(id: thread, name: NoteRecord.clean(row.text(2) ?? "")))
        }
    }

    private mutating func addVectors(
        _ database: Database, _ range: ClosedRange<Int64>, _ places: [Int64: Int], _ notes: inout [TransferNote]
    ) throws {
        for stored in try FileTransfer.spaces(database) {
            let arguments: StatementArguments = [stored.id, range.lowerBound, range.upperBound]
            let later = try Row.fetchAll(
                database,
                sql: """
                    SELECT note_id, vector FROM gateway_passages WHERE space_id = ? AND note_id BETWEEN ? AND ?
                    ORDER BY note_id, passage
                    """, arguments: arguments)
            let passages = Dictionary(grouping: later) { $0.integer(0) ?? .min }
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT note_id, content_hash, passages, vector FROM gateway_embeddings
                    WHERE space_id = ? AND note_id BETWEEN ? AND ?
                    """, arguments: arguments)
            while let row = try rows.next() {
                guard let id = row.integer(0), let place = places[id] else { continue }
                let count = row.count(2)
                var (vectors, isSound) = ([Float](), count >= 1 && (passages[id]?.count ?? 0) >= count - 1)
                let blobs = isSound ? [row.bytes(3)] + (passages[id] ?? []).prefix(count - 1).map { $0.bytes(1) } : []
                for blob in blobs {
                    guard let vector = blob.flatMap({ VectorBlob.decode($0, dimensions: stored.space.dimensions) }),
                        vector.allSatisfy(\.isFinite)
                    else {
                        isSound = false
                        break
                    }
                    vectors += vector
                }
                guard isSound, let hash = row.bytes(1) else {
                    remark("gateway_embeddings", "damaged vectors are left out; their notes are embedded again", id)
                    continue
                }
                var contentHash = Array(hash)
                // The text without U+0000 has another hash.
                if notes[place].record.extra != nil, contentHash == unclean(notes[place].record) {
                    contentHash = notes[place].record.contentHash
                }
                notes[place].vectors.append(
                    TransferVectors(
                        space: stored.space, contentHash: contentHash, passages: count, vectors: vectors))
            }
        }
    }

    /// The hash of the text as the file has it, if U+0000 was replaced.
    private func unclean(_ record: NoteRecord) -> [UInt8]? {
        guard let extra = ExtraColumns(record.extra) else { return nil }
        let (title, content) = (extra.raw["title"], extra.raw["content"])
        guard title != nil || content != nil else { return nil }
        return Array(
            ContentHash.of(
                title: title?.asText ?? record.title, content: content?.asText ?? record.content))
    }
}

extension NoteRecord {
    /// A text as both stores can hold it.
    package static func clean(_ text: String) -> String { SQLCell.withoutZero(text) }

    /// Texts in the order of their bytes, the same on every machine.
    package static func ordered(_ texts: [String]) -> [String] {
        texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The columns of `raw_notes` that the gateway fills from a note, with their values.
    var derived: [String: ExtraColumns.Cell] {
        let sizes = TextSizes(content)
        return [
            "content_hash": .text(Hexadecimal.text(contentHash)), "word_count": .integer(Int64(sizes.words)),
            "character_count": .integer(Int64(sizes.characters)), "imported_at": .text(createdAt),
            "status": .text("pending"),
        ]
    }
}
