/// The rows of an unfinished index file that a file beside it describes.
struct IndexPart: Codable, Sendable, Equatable {
    /// The number of the part, from 0.
    var number: Int
    /// The first row of its documents, and how many they have.
    var firstRow: Int
    var rows: Int
    /// The id of its last document.
    var lastID: Int64
}
