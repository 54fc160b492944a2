import Cryptography
import GatewayAPI

/// A thread of notes, as both stores hold it.
package struct ThreadRecord: Sendable, Hashable {
    package var id: Int64
    package var name: String
    /// A JSON object of the file's other columns; nil without any.
    package var extra: String?

    package init(id: Int64, name: String, extra: String? = nil) {
        self.id = id
        self.name = name
        self.extra = extra
    }

    /// A thread of a server, which has the time at which it was made beside the other columns.
    ///
    /// - Parameter created: Seconds since 1970.
    package init(id: Int64, name: String, extra: String?, created: Int64?) {
        var columns = ExtraColumns.ofThread(extra)
        if let created, columns[Self.time] == nil { columns[Self.time] = .text(Timestamp.text(created)) }
        self.init(id: id, name: name, extra: columns.isEmpty ? nil : ExtraColumns.text(ofThread: columns))
    }

    private static let time = "created_at"

    /// When it was made, in seconds since 1970; nil for an unknown time.
    package var created: Int64? {
        ExtraColumns.ofThread(extra)[Self.time].flatMap(\.value.asDate).flatMap(Timestamp.unixSeconds)
    }

    /// Whether another store has the thread. A file has it with columns of its own, and without those that it does not know.
    package func isSame(as other: ThreadRecord, inFile: Bool) -> Bool {
        guard id == other.id, name.utf8.elementsEqual(other.name.utf8) else { return false }
        guard inFile else { return extra == other.extra }
        let (mine, theirs) = (ExtraColumns.ofThread(extra), ExtraColumns.ofThread(other.extra))
        return mine.allSatisfy { name, cell in theirs[name].map { $0 == cell } ?? true }
    }
}

/// The vectors of a note in one space.
package struct TransferVectors: Sendable, Hashable {
    package var space: EmbeddingSpace
    /// The hash of the embedded text.
    package var contentHash: [UInt8]
    package var passages: Int
    /// `passages` times the space's dimensions.
    package var vectors: [Float]

    package init(space: EmbeddingSpace, contentHash: [UInt8], passages: Int, vectors: [Float]) {
        self.space = space
        self.contentHash = contentHash
        self.passages = passages
        self.vectors = vectors
    }
}

/// A note with everything that a migration moves.
package struct TransferNote: Sendable, Hashable {
    package var record: NoteRecord
    /// In the order of ``EmbeddingSpace/order``.
    package var vectors: [TransferVectors]

    package init(record: NoteRecord, vectors: [TransferVectors] = []) {
        self.record = record
        self.vectors = vectors
    }

    /// SHA-256 over all fields and the bits of all vectors.
    package var hash: [UInt8] {
        var hasher = SHA256()
        hasher.update(data: record.hash)
        for row in vectors.sorted(by: { $0.space.order < $1.space.order }) {
            hasher.add(row.space.order)
            hasher.update(data: row.contentHash)
            hasher.add(Int64(row.passages))
            var bytes: [UInt8] = []
            bytes.reserveCapacity(row.vectors.count * 4)
            for value in row.vectors {
                let bits = value.bitPattern
                for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
            }
            hasher.update(data: bytes)
        }
        return Array(hasher.finalize())
    }
}

extension EmbeddingSpace {
    /// The properties as one text, which orders spaces and names them in messages.
    package var order: String {
        [
            model, digest, String(dimensions), queryPrefix, documentPrefix, String(chunkerVersion),
        ].joined(separator: "\u{1F}")
    }
}
