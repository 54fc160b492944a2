import Cryptography
package import Database

/// A row of a room's table, as any store holds it.
package struct RoomRow: TransferRow {
    package let key: RowKey
    let table: String
    let cells: [String: SQLCell]

    package var title: String { "\(table) \(key.title)" }

    package var hash: [UInt8] {
        var hasher = SHA256()
        for (name, cell) in cells.sorted(by: { $0.key < $1.key }) {
            hasher.update(data: Array(name.utf8) + Self.form(cell))
        }
        return Array(hasher.finalize())
    }

    package func isSame(as other: RoomRow) -> Bool {
        cells.allSatisfy { name, cell in other.cells[name].map { Self.form($0) == Self.form(cell) } ?? true }
    }

    /// A value's form, the same in all stores: one holds a whole number as an integer that another has as a floating-point number.
    private static func form(_ cell: SQLCell) -> [UInt8] {
        let (kind, bytes): (Character, [UInt8]) =
            switch cell {
            case .null: ("n", [])
            case .integer(let number): ("i", Array(String(number).utf8))
            case .real(let number):
                Int64(exactly: number).map { ("i", Array(String($0).utf8)) }
                    ?? ("r", Array(String(number.bitPattern).utf8))
            case .text(let text): ("t", Array(text.utf8))
            case .bytes(let bytes): ("b", bytes)
            }
        return Array("\(kind)\(bytes.count):".utf8) + bytes
    }
}

/// The numbers of a store's keys. Their hashes are the same in all stores.
struct KeyNumbers: Sendable {
    /// The number of a key that a store lacks.
    private static let none: Int64 = -1

    private var hashes: [Int64: [UInt8]] = [:]
    private var numbers: [[UInt8]: Int64] = [:]

    init() {}

    init(_ store: any SQLStore) async throws {
        for row in try await store.rows("SELECT id, hash FROM gateway_keys", []) {
            guard let id = row.integer(0), let hash = row.bytes(1) else { continue }
            (hashes[id], numbers[hash]) = (hash, id)
        }
    }

    /// The number of a key as a value that all stores have.
    func common(_ cell: SQLCell) -> SQLCell {
        cell.asInteger.map { hashes[$0].map { .bytes($0) } ?? .integer(Self.none) } ?? cell
    }

    /// The number of a key in this store.
    func own(_ common: SQLCell) -> SQLCell {
        guard case .bytes(let hash) = common else { return common }
        return .integer(numbers[hash] ?? Self.none)
    }
}
