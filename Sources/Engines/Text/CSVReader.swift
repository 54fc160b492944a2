/// Reads the records of a text one by one. Quoted fields may have commas, line feeds and doubled quotes; empty lines are
/// skipped.
package struct CSVReader {
    private var bytes: ArraySlice<UInt8>
    /// Fields of a record at most; further ones are dropped.
    private let maxFields: Int
    private let isOurs: Bool
    /// Bytes that are read, of the text without its byte order mark.
    package var bytesRead: Int { bytes.startIndex }
    /// Whether the text ended within a quoted field.
    package private(set) var isCut = false

    /// - Parameters:
    ///   - maxFields: Fields of a record at most; further ones are dropped.
    ///   - isOurs: Whether ``CSV/line(_:)`` wrote the text, with apostrophes before what looks like a formula.
    package init(_ bytes: [UInt8], maxFields: Int, isOurs: Bool = true) {
        self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        self.maxFields = maxFields
        self.isOurs = isOurs
    }

    /// The next record; nil at the end.
    package mutating func next() -> [String]? {
        var (fields, field, isQuoted, wasQuoted): ([String], [UInt8], Bool, Bool) = ([], [], false, false)
        func end() {
            let text = String(decoding: field, as: UTF8.self)
            if fields.count < maxFields { fields.append(isOurs ? CSV.read(text) : text) }
            field = []
        }
        while let byte = bytes.popFirst() {
            if isQuoted {
                if byte != 0x22 {
                    field.append(byte)
                } else if bytes.first == 0x22 {
                    field.append(byte)
                    bytes.removeFirst()
                } else {
                    isQuoted = false
                }
                continue
            }
            switch byte {
            case 0x22 where field.isEmpty: (isQuoted, wasQuoted) = (true, true)
            case 0x2C: end()
            case 0x0D where bytes.first == 0x0A: break
            case 0x0A:
                guard !(fields.isEmpty && field.isEmpty) || wasQuoted else { continue }
                end()
                return fields
            default: field.append(byte)
            }
        }
        isCut = isQuoted
        guard !(fields.isEmpty && field.isEmpty) else { return nil }
        end()
        return fields
    }
}
