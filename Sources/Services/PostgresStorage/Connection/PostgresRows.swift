import CPostgres
package import Database

/// The rows of an answer, in PostgreSQL's binary format. A value of an unexpected type or length reads as nil.
///
/// SAFETY: `@unchecked Sendable` because libpq does not change a result after it was made, and only this object frees it.
@safe package final class PostgresRows: @unchecked Sendable {
    private let result: OpaquePointer?
    /// The number of rows.
    package let count: Int
    /// The number of rows that the statement changed.
    package let changed: Int

    /// Takes over a result.
    init(_ result: OpaquePointer?) {
        unsafe self.result = result
        count = unsafe Int(PQntuples(result))
        changed = unsafe result.flatMap { unsafe PQcmdTuples($0) }.flatMap { unsafe Int(String(cString: $0)) } ?? 0
    }

    deinit { unsafe PQclear(result) }

    /// The rows, for iterations.
    package var indices: Range<Int> { 0..<count }

    /// Calls the body with the bytes of a value; nil for NULL and for places that do not exist.
    private func with<Value>(_ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) -> Value?) -> Value? {
        guard let result = unsafe result, row >= 0, row < count, column >= 0, unsafe column < Int(PQnfields(result)),
            unsafe PQgetisnull(result, Int32(row), Int32(column)) == 0
        else { return nil }
        let length = unsafe Int(PQgetlength(result, Int32(row), Int32(column)))
        return unsafe body(UnsafeRawBufferPointer(start: PQgetvalue(result, Int32(row), Int32(column)), count: length))
    }

    /// All rows, each value read by the type of its column.
    package var all: [SQLRow] {
        guard let result = unsafe result else { return [] }
        let columns = unsafe PQnfields(result)
        let types = (0..<columns).map { unsafe PQftype(result, $0) }
        return indices.map { row in SQLRow(types.indices.map { cell(row, $0, types[$0]) }) }
    }

    private func cell(_ row: Int, _ column: Int, _ type: UInt32) -> SQLCell {
        let found: SQLCell? =
            switch type {
            case 16: bool(row, column).map { .integer($0 ? 1 : 0) }
            case 20, 21, 23: integer(row, column).map { .integer($0) }
            case 700, 701: double(row, column).map { .real($0) }
            case 17: bytes(row, column).map { .bytes($0) }
            case 18, 19, 25, 114, 705, 1042, 1043: text(row, column).map { .text($0) }
            default: nil
            }
        return found ?? .null
    }

    /// An integer of two, four or eight bytes.
    package func integer(_ row: Int, _ column: Int) -> Int64? {
        unsafe with(row, column) { bytes in
            switch bytes.count {
            case 8: unsafe Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
            case 4: unsafe Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
            case 2: unsafe Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
            default: nil
            }
        }
    }

    /// A floating-point number of four or eight bytes.
    package func double(_ row: Int, _ column: Int) -> Double? {
        unsafe with(row, column) { bytes in
            switch bytes.count {
            case 8: unsafe Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
            case 4: unsafe Double(Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))))
            default: nil
            }
        }
    }

    /// A Boolean value.
    package func bool(_ row: Int, _ column: Int) -> Bool? {
        unsafe with(row, column) { unsafe $0.count == 1 ? $0[0] != 0 : nil }
    }

    package func text(_ row: Int, _ column: Int) -> String? {
        unsafe with(row, column) { unsafe String(decoding: $0, as: UTF8.self) }
    }

    package func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
        unsafe with(row, column) { unsafe Array($0) }
    }

    /// Calls the body with the bytes of a value, without a copy; nil for NULL.
    func withBytes<Value>(_ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) -> Value?) -> Value? {
        unsafe with(row, column, body)
    }

    /// A `vector` of pgvector.
    package func vector(_ row: Int, _ column: Int) -> [Float]? {
        unsafe with(row, column) { bytes in
            guard bytes.count >= 4 else { return nil }
            let count = unsafe Int(UInt16(bigEndian: bytes.loadUnaligned(as: UInt16.self)))
            guard bytes.count == 4 + 4 * count else { return nil }
            return (0..<count).map { place in
                unsafe Float(
                    bitPattern: UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4 + 4 * place, as: UInt32.self)))
            }
        }
    }

    /// An array of integers; NULL elements are left out.
    package func integers(_ row: Int, _ column: Int) -> [Int64]? {
        elements(row, column).map { elements in
            elements.compactMap { element in
                guard let element, [2, 4, 8].contains(element.count) else { return nil }
                // Sign-extended from the first byte.
                let start: Int64 = element[0] >= 0x80 ? -1 : 0
                return element.reduce(start) { $0 << 8 | Int64($1) }
            }
        }
    }

    /// An array of texts; NULL elements are left out.
    package func texts(_ row: Int, _ column: Int) -> [String]? {
        elements(row, column)?.compactMap { $0.map { String(decoding: $0, as: UTF8.self) } }
    }

    private func elements(_ row: Int, _ column: Int) -> [[UInt8]?]? {
        bytes(row, column).flatMap { bytes in
            func number(_ place: Int) -> Int? {
                guard place + 4 <= bytes.count else { return nil }
                return Int(Int32(bitPattern: bytes[place..<place + 4].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }))
            }
            guard let dimensions = number(0) else { return nil }
            guard dimensions > 0 else { return [] }
            guard dimensions == 1, let count = number(12), count >= 0 else { return nil }
            var (place, found) = (20, [[UInt8]?]())
            for _ in 0..<count {
                guard let length = number(place) else { return nil }
                place += 4
                guard length >= 0 else {
                    found.append(nil)
                    continue
                }
                guard place + length <= bytes.count else { return nil }
                found.append(Array(bytes[place..<place + length]))
                place += length
            }
            return found
        }
    }
}
