import Cryptography
import Foundation

/// The identities of notes that are items of a file: what makes a second ingest find the first one's notes.
///
/// An id counts by itself where it means one thing in the world: a UUID, and the id that another program gives an item for good.
/// Then a newer export updates its notes, whatever its file is called. Any other id counts within its file.
enum ItemName {
    /// The most bytes of an id that stand in a name. A longer one is replaced by its hash.
    private static let mostBytes = 400

    /// The name of a line with an id in a file of ours.
    ///
    /// - Parameter place: The path of the file, links resolved.
    static func of(_ id: String, in place: String) -> String { UUID(uuidString: id) == nil ? "\(place)#\(id)" : id }

    /// The name of an item with an id that its program gives for good.
    static func of(_ id: String, from format: IngestFormat) -> String {
        id.utf8.count <= mostBytes ? "\(format.rawValue):\(id)" : of([id], from: format)
    }

    /// The name of an item without an id, by parts that stay when its text is edited: the hash of them, in 32 digits.
    static func of(_ parts: [String], from format: IngestFormat) -> String {
        // The length before each part keeps ["ab", "c"] and ["a", "bc"] apart.
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
        let hash = SHA256.hash(data: Data(text.utf8)).prefix(16)
        return "\(format.rawValue):" + hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
