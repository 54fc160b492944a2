/// The sizes of a search for near pairs.
struct PairLimits: Sendable {
    /// Rows of a block, unless one document has more.
    var blockRows = 1024
    /// Panels of a tile, which one thread compares with a block. At most 2,048.
    var tilePanels = 8
    /// Bytes of codes that are kept; rows beyond them are encoded again for each block.
    var codeBytes = 256 << 20
    /// Neighbours that are kept. With more documents a part of them is compared with each other once, and with all others
    /// from both sides.
    var neighbours = 16 << 20
    /// How long a thread waits at most before each tile while searches are under way.
    var pauseMicroseconds = 5_000
}
