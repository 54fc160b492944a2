import Database

/// A parameter of a statement, sent in PostgreSQL's binary format.
package enum PostgresValue: Sendable, Hashable {
    case null
    /// NULL of a type, by its object id.
    case typedNull(UInt32)
    case integer(Int64)
    case double(Double)
    case bool(Bool)
    case text(String)
    case bytes([UInt8])
    case integers([Int64])
    case texts([String?])
    case blobs([[UInt8]?])
    /// A `vector` of pgvector.
    case vector([Float])

    /// Creates a text or NULL.
    package init(_ text: String?) { self = text.map { .text($0) } ?? .null }

    /// Creates a number or NULL.
    package init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }

    /// Creates the value of a room's parameter.
    init(_ value: SQLValue) {
        switch value {
        case .integer(let number): self = number.map { .integer($0) } ?? .typedNull(20)
        case .real(let number): self = number.map { .double($0) } ?? .typedNull(701)
        case .bool(let isTrue): self = isTrue.map { .bool($0) } ?? .typedNull(16)
        case .text(let text): self = text.map { .text($0) } ?? .typedNull(25)
        case .bytes(let bytes): self = bytes.map { .bytes($0) } ?? .typedNull(17)
        }
    }

    /// The object id of the type; 0 where the server infers the type.
    var type: UInt32 {
        switch self {
        case .null, .vector: 0
        case .typedNull(let type): type
        case .integer: 20
        case .double: 701
        case .bool: 16
        case .text: 25
        case .bytes: 17
        case .integers: 1016
        case .texts: 1009
        case .blobs: 1001
        }
    }

    /// The value on the wire; nil for NULL.
    var encoded: [UInt8]? {
        switch self {
        case .null, .typedNull: return nil
        case .integer(let value): return Self.bytes(of: value)
        case .double(let value): return Self.bytes(of: value.bitPattern)
        case .bool(let value): return [value ? 1 : 0]
        case .text(let value): return Self.text(value)
        case .bytes(let value): return value
        case .integers(let values): return Self.array(values.map { Self.bytes(of: $0) }, of: 20)
        case .texts(let values): return Self.array(values.map { $0.map(Self.text) }, of: 25)
        case .blobs(let values): return Self.array(values, of: 17)
        case .vector(let values):
            var bytes = Self.bytes(of: Int16(truncatingIfNeeded: values.count)) + [0, 0]
            bytes.reserveCapacity(4 + 4 * values.count)
            for value in values { bytes += Self.bytes(of: value.bitPattern) }
            return bytes
        }
    }

    /// PostgreSQL's text cannot hold U+0000. It is stored as U+FFFD.
    static func text(_ value: String) -> [UInt8] {
        Array(SQLCell.withoutZero(value).utf8)
    }

    static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe Array($0) }
    }

    private static func array(_ elements: [[UInt8]?], of type: UInt32) -> [UInt8] {
        var bytes = Self.bytes(of: Int32(elements.isEmpty ? 0 : 1))
        bytes += Self.bytes(of: Int32(elements.contains { $0 == nil } ? 1 : 0))
        bytes += Self.bytes(of: type)
        guard !elements.isEmpty else { return bytes }
        bytes += Self.bytes(of: Int32(truncatingIfNeeded: elements.count))
        bytes += Self.bytes(of: Int32(1))
        for element in elements {
            guard let element else {
                bytes += Self.bytes(of: Int32(-1))
                continue
            }
            bytes += Self.bytes(of: Int32(truncatingIfNeeded: element.count))
            bytes += element
        }
        return bytes
    }
}
