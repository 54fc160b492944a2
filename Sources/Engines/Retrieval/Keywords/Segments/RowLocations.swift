/// Where the text of each ordinal lies: the number of a part and a row in it.
///
/// Copies share chunks until one of them changes. While a search holds a snapshot, an update copies the chunks that it
/// changes, of 8 KiB each, and a list of one reference for every 1024 ordinals.
struct RowLocations: Sendable {
    struct Location: Sendable, Equatable {
        var part: Int
        var row: Int
    }

    private static let chunkSize = 1024
    /// The part's number + 1 above the row; 0 for none. Nil for a chunk of ``numbered``.
    private var chunks: [[UInt64]?] = []
    /// A part whose row 0 is ordinal 0, row 1 is ordinal 1, …, and its number of rows.
    private var numbered = (part: 0, rows: 0)

    init() {}

    /// Creates the places of a part whose row 0 is ordinal 0, row 1 is ordinal 1, ….
    init(numbered part: Int, rows: Int) {
        numbered = (part, rows)
        chunks = Array(repeating: nil, count: (rows + Self.chunkSize - 1) / Self.chunkSize)
    }

    /// Whether no ordinal has a place.
    var isEmpty: Bool { chunks.isEmpty }

    subscript(_ ordinal: Int) -> Location? {
        get {
            guard ordinal >= 0, ordinal / Self.chunkSize < chunks.count else { return nil }
            guard let chunk = chunks[ordinal / Self.chunkSize] else {
                return ordinal < numbered.rows ? Location(part: numbered.part, row: ordinal) : nil
            }
            let value = chunk[ordinal % Self.chunkSize]
            return value == 0 ? nil : Location(part: Int(value >> 32) - 1, row: Int(value & 0xFFFF_FFFF))
        }
        set {
            while ordinal / Self.chunkSize >= chunks.count {
                chunks.append(Array(repeating: 0, count: Self.chunkSize))
            }
            let first = ordinal / Self.chunkSize * Self.chunkSize
            if chunks[ordinal / Self.chunkSize] == nil {
                chunks[ordinal / Self.chunkSize] = (first..<first + Self.chunkSize).map { ordinal in
                    ordinal < numbered.rows ? UInt64(numbered.part + 1) << 32 | UInt64(ordinal) : 0
                }
            }
            chunks[ordinal / Self.chunkSize]?[ordinal % Self.chunkSize] =
                newValue.map { UInt64($0.part + 1) << 32 | UInt64($0.row) } ?? 0
        }
    }
}
