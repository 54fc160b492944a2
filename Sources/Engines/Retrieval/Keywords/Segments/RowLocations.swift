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
    /// The part's number + 1 above the row; 0 for none.
    private var chunks: [[UInt64]] = []

    subscript(_ ordinal: Int) -> Location? {
        get {
            guard ordinal >= 0, ordinal / Self.chunkSize < chunks.count else { return nil }
            let value = chunks[ordinal / Self.chunkSize][ordinal % Self.chunkSize]
            return value == 0 ? nil : Location(part: Int(value >> 32) - 1, row: Int(value & 0xFFFF_FFFF))
        }
        set {
            while ordinal / Self.chunkSize >= chunks.count {
                chunks.append(Array(repeating: 0, count: Self.chunkSize))
            }
            chunks[ordinal / Self.chunkSize][ordinal % Self.chunkSize] =
                newValue.map { UInt64($0.part + 1) << 32 | UInt64($0.row) } ?? 0
        }
    }
}
