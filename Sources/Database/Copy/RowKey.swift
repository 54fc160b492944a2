import GatewayAPI

/// What names a row of a ``RoomTable``. Integers are in the order of their values, before texts and then bytes, which are in that
/// of their bytes.
package struct RowKey: Hashable, Comparable, Sendable {
    private enum Part: Hashable, Comparable, Sendable {
        case integer(Int64)
        case text([UInt8])
        case bytes([UInt8])

        static func < (one: Part, other: Part) -> Bool {
            switch (one, other) {
            case (.integer(let one), .integer(let other)): one < other
            case (.text(let one), .text(let other)): one.lexicographicallyPrecedes(other)
            case (.bytes(let one), .bytes(let other)): one.lexicographicallyPrecedes(other)
            case (.integer, _), (.text, .bytes): true
            case (.text, _), (.bytes, _): false
            }
        }
    }

    private let parts: [Part]

    /// Reads the first cells of a row; nil when one is NULL or a floating-point number.
    package init?(_ cells: some Sequence<SQLCell>) {
        var parts: [Part] = []
        for cell in cells {
            switch cell {
            case .integer(let number): parts.append(.integer(number))
            case .text(let text): parts.append(.text(Array(text.utf8)))
            case .bytes(let bytes): parts.append(.bytes(bytes))
            case .null, .real: return nil
            }
        }
        self.parts = parts
    }

    package var values: [SQLValue] {
        parts.map { part in
            switch part {
            case .integer(let number): .integer(number)
            case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
            case .bytes(let bytes): .bytes(bytes)
            }
        }
    }

    /// The key for messages: `3` or `a/2`.
    package var title: String {
        parts.map { part in
            switch part {
            case .integer(let number): String(number)
            case .text(let bytes): String(decoding: bytes, as: UTF8.self)
            case .bytes(let bytes): Hexadecimal.text(bytes)
            }
        }.joined(separator: "/")
    }

    package static func < (one: RowKey, other: RowKey) -> Bool { one.parts.lexicographicallyPrecedes(other.parts) }
}
