import Database
package import GatewayAPI
package import Machine

/// A source with its server-side fields. Its counts are those of ``SourceRoom/figures(of:)``.
package struct StoredSource: Sendable, Hashable {
    package var source: Source
    /// The machine of the path.
    package var host: String?
    /// Whether missing files are gone however many they are, at the next look.
    package var acceptsMissing: Bool
    /// When a person asked for a look, and when the last one ended, in milliseconds since 1970.
    package var wantedAt: Int64?
    package var lookedAt: Int64?
    /// The process that follows it, and until when without a sign of life.
    package var owner: WorkerName?
    var leaseEnd: Int64?

    package var id: Int64 { source.id }

    /// Whether somebody waits for a look.
    package var isWanted: Bool { wantedAt.map { $0 > lookedAt ?? 0 } ?? false }

    static let columns = """
        id, name, kind, path, host, format, ignored, state, message, accepts_missing, created_at, wanted_at, looked_at, owner,
        lease
        """

    /// Reads a row; nil for one of a kind that this version does not know.
    init?(_ row: SQLRow) {
        guard let id = row.integer(0), let name = row.text(1), let kind = row.text(2).flatMap(Source.Kind.init) else {
            return nil
        }
        let ignored = row.bytes(6).flatMap { try? JSONDocument(parsing: $0).value }
        var patterns: [String] = []
        if case .array(let items)? = ignored {
            patterns = items.compactMap { if case .string(let text) = $0 { text } else { nil } }
        }
        source = Source(
            id: id, name: name, kind: kind, path: row.text(3), format: row.text(5), ignore: patterns,
            state: row.text(7).flatMap(Source.State.init) ?? .paused, message: row.text(8), files: 0, unread: 0,
            removed: 0, createdAt: Timestamp.milliseconds(row.integer(10) ?? 0),
            lookedAt: row.integer(12).map { Timestamp.milliseconds($0) })
        host = row.text(4)
        acceptsMissing = row.integer(9) ?? 0 != 0
        (wantedAt, lookedAt) = (row.integer(11), row.integer(12))
        owner = row.text(13).map { WorkerName($0) }
        leaseEnd = row.integer(14)
    }
}

/// A file of a source, as it was when it was read.
package struct StoredSourceFile: Sendable, Hashable {
    package enum State: Int64, Sendable {
        /// Its note follows it, or ``StoredSourceFile/problem`` says why there is none.
        case there = 0
        /// Its note is going to the bin: the move is done or not.
        case going = 1
        /// Its note is in the bin.
        case gone = 2
    }

    /// The path below the folder, `/` between its parts.
    package var path: String
    /// In bytes; -1 for a file that is to be read again.
    package var size: Int64
    /// In nanoseconds since 1970.
    package var modified: Int64
    package var changed: Int64
    package var state = State.there
    /// The note in the bin.
    package var note: Int64?
    /// The hash of the text in the bin.
    package var textHash: [UInt8]?
    package var problem: String?

    package init(path: String, size: Int64, modified: Int64, changed: Int64, problem: String? = nil) {
        (self.path, self.size, self.modified, self.changed, self.problem) = (path, size, modified, changed, problem)
    }

    static let columns = "path, size, modified, changed, state, note_id, text_hash, problem"

    init?(_ row: SQLRow) {
        guard let path = row.text(0) else { return nil }
        self.init(
            path: path, size: row.integer(1) ?? -1, modified: row.integer(2) ?? 0, changed: row.integer(3) ?? 0,
            problem: row.text(7))
        state = row.integer(4).flatMap(State.init) ?? .there
        note = row.integer(5)
        textHash = row.bytes(6)
    }
}
