/// The lengths of a segment's rows in one byte each, rounded down, so that scores can be bounded from above without
/// reading the lengths themselves.
///
/// A code is the upper bits of the length as a float: sixteen codes for each doubling, up to 65,535.
///
/// SAFETY: `@unchecked Sendable` because the pointers lead into the immutable region that the value keeps.
@safe struct RowLengths: @unchecked Sendable {
    /// The number of codes.
    static let codes = 256
    private static let shift = 19
    private static let origin = Float(1).bitPattern >> shift

    /// Words of each row.
    let words: UnsafePointer<UInt8>
    /// Bytes of the text of each row.
    let bytes: UnsafePointer<UInt8>
    private let region: Region

    /// Reads the lengths of some rows. Time grows with the rows.
    ///
    /// - Parameters:
    ///   - starts: One more than the rows, ascending.
    init(rows: Int, wordCounts: UnsafePointer<UInt32>, starts: UnsafePointer<UInt64>) {
        region = unsafe Region(count: 2 * rows) { memory in
            for row in 0..<rows {
                unsafe memory[row] = Self.code(of: Int(wordCounts[row]))
                unsafe memory[rows + row] = Self.code(of: Int(truncatingIfNeeded: starts[row + 1] &- starts[row]))
            }
        }
        let base = unsafe region.values(of: UInt8.self).baseAddress.unsafelyUnwrapped
        unsafe words = base
        unsafe bytes = base + rows
    }

    @inline(__always)
    static func code(of length: Int) -> UInt8 {
        let bits = Float(max(1, length)).bitPattern >> shift
        return UInt8(truncatingIfNeeded: min(bits - origin, 255))
    }

    /// The least length of a code; 0 for the first one, which an empty row has too.
    static func least(of code: Int) -> Float {
        code == 0 ? 0 : Float(bitPattern: (UInt32(code) + origin) << shift)
    }
}
