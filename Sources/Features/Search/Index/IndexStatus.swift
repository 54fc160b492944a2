/// The contents and settings of the index, for `selene index status`.
package struct IndexStatus: Codable, Sendable, Hashable {
    /// The model of the active embedding space; absent before the first backfill.
    package var model: String?
    /// The length of the vectors.
    package var dimensions: Int?
    /// The number of notes.
    package var notes: Int
    /// The number of notes with a vector.
    package var embeddedNotes: Int
    /// The number of vectors, one for each passage.
    package var vectors: Int
    /// Bytes of the vectors.
    package var matrixBytes: Int
    /// Bytes of the compressed vectors; with PostgreSQL those of its index.
    package var codeBytes: Int
    /// Bytes of the folded text and its postings.
    package var textBytes: Int
    /// The path of the index file; absent without a file.
    package var file: String?
    /// Size of the file in bytes; absent before the first write.
    package var fileBytes: Int?
    /// Notes added or changed since the file was written.
    package var notesBeyondFile: Int
    /// `exact`, `int8` or `binary`; with PostgreSQL `exact`, `hnsw` or `ivfflat`.
    package var plan: String
    /// The measurements of the plan when it was chosen; absent for the exact plan.
    package var tuning: Tuning?
    /// The instruction set of the inner loops; with PostgreSQL the version of pgvector.
    package var kernel: String
    /// The linked BLAS library; with PostgreSQL the server's version.
    package var blas: String
    /// Milliseconds to open or build the index.
    package var openedMilliseconds: Double
    /// Resident memory of the process in bytes, including mapped pages that were read.
    package var residentBytes: Int?

    /// The measurements of a plan.
    package struct Tuning: Codable, Sendable, Hashable {
        /// The number of vectors that the first pass selects.
        package var candidates: Int
        /// The share of the ten nearest documents that the plan found.
        package var recallAt10: Double
        /// The number of measured queries.
        package var sample: Int
        /// The speed relative to the exact scan.
        package var speedup: Double
        /// When the plan was measured, in seconds since 1970.
        package var measuredAt: Int64

        /// The JSON member names.
        package enum CodingKeys: String, CodingKey {
            case candidates
            case recallAt10 = "recall@10"
            case sample, speedup
            case measuredAt = "measured_at"
        }
    }

    /// The JSON member names.
    package enum CodingKeys: String, CodingKey {
        case model, dimensions, notes
        case embeddedNotes = "embedded_notes"
        case vectors
        case matrixBytes = "matrix_bytes"
        case codeBytes = "code_bytes"
        case textBytes = "text_bytes"
        case file
        case fileBytes = "file_bytes"
        case notesBeyondFile = "notes_beyond_file"
        case plan, tuning, kernel, blas
        case openedMilliseconds = "opened_ms"
        case residentBytes = "resident_bytes"
    }
}
