import Cryptography
import GatewayAPI

/// A row that both kinds of store hold.
package protocol TransferRow: Sendable {
    associatedtype Key: Hashable, Comparable, Sendable

    var key: Key { get }
    /// Names the row in messages.
    var title: String { get }
    /// SHA-256 over all values.
    var hash: [UInt8] { get }
    /// Whether another store's row has the same values. A value that one of the stores has no column for does not count.
    func isSame(as other: Self) -> Bool
}

/// Rows of one kind, in the order of their keys.
package protocol TransferTable<Row>: Sendable {
    associatedtype Row: TransferRow

    /// Reads the rows after a key, up to some megabytes.
    ///
    /// - Parameters:
    ///   - key: Rows up to this key are left out; nil for none.
    ///   - last: The last key to read; nil for no limit.
    func page(after key: Row.Key?, through last: Row.Key?) async throws -> TransferRows<Row>
    /// Reads some rows; those that do not exist are absent.
    func rows(_ keys: [Row.Key]) async throws -> [Row]
    /// Whether the store can hold a row.
    func canHold(_ row: Row) -> Bool
    /// Writes rows and deletes others in one transaction, if the migration's run still holds the store.
    func apply(_ rows: [Row], removing: [Row.Key], _ state: TransferState) async throws
}

extension TransferTable {
    package func canHold(_ row: Row) -> Bool { true }
}

/// Some rows in the order of their keys.
package struct TransferRows<Row: TransferRow>: Sendable {
    package var rows: [Row]
    /// All rows up to this key are read; nil when none are left.
    package var last: Row.Key?

    package init(_ rows: [Row], last: Row.Key?) {
        self.rows = rows
        self.last = last
    }
}

/// A text as a key. Its order and equality are those of its bytes in UTF-8, as in both kinds of store.
package struct TextKey: Hashable, Comparable, Sendable {
    package let bytes: [UInt8]

    package init(_ text: String) { bytes = Array(text.utf8) }

    package init(bytes: [UInt8]) { self.bytes = bytes }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package static func < (one: TextKey, other: TextKey) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }
}

/// SHA-256 over the hashes of rows, in the order in which they come.
package struct TransferDigest: Sendable {
    private var hasher = SHA256()

    package init() {}

    package mutating func add(_ hash: [UInt8]) { hasher.update(data: hash) }

    /// The digest in hexadecimal digits.
    package var text: String { Hexadecimal.text(Array(hasher.finalize())) }
}
