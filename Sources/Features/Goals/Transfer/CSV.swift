import Cryptography

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Comma-separated values by RFC 4180, safe for spreadsheets.
///
/// A spreadsheet runs a field that begins with `=`, `+`, `-`, `@`, a tab or a carriage return as a formula, unless it is a
/// number. Such a field is written with an apostrophe before it, and read without.
enum CSV {
    /// Fields of a line, quoted where they need it, with a line feed.
    static func line(_ fields: [String]) -> String {
        fields.map { field in
            let field = isFormula(field) ? "'\(field)" : field
            let isPlain = !field.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
            return isPlain ? field : "\"\(field.replacing("\"", with: "\"\""))\""
        }.joined(separator: ",") + "\n"
    }

    /// The field without the apostrophe that ``line(_:)`` wrote before it.
    static func read(_ field: String) -> String {
        field.hasPrefix("'") && isFormula(field) ? String(field.dropFirst()) : field
    }

    private static let marks = Set("=+-@\t\r＝＋－＠".unicodeScalars)

    /// Whether a field begins with a mark of formulas, also behind apostrophes, and is no number.
    private static func isFormula(_ field: String) -> Bool {
        guard let first = field.unicodeScalars.first(where: { $0 != "'" }), marks.contains(first) else { return false }
        return field.hasPrefix("'") || Double(field) == nil
    }
}

/// Reads the records of a text one by one. Quoted fields may have commas, line feeds and doubled quotes; empty lines are
/// skipped.
struct CSVReader {
    private var bytes: ArraySlice<UInt8>
    /// Fields of a record at most; further ones are dropped.
    private let maxFields: Int

    init(_ bytes: [UInt8], maxFields: Int) {
        self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        self.maxFields = maxFields
    }

    /// The next record; nil at the end.
    mutating func next() -> [String]? {
        var (fields, field, isQuoted, wasQuoted): ([String], [UInt8], Bool, Bool) = ([], [], false, false)
        func end() {
            if fields.count < maxFields { fields.append(CSV.read(String(decoding: field, as: UTF8.self))) }
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
        guard !(fields.isEmpty && field.isEmpty) else { return nil }
        end()
        return fields
    }
}

/// UUIDs that follow from a text.
enum NamedID {
    /// The first 16 bytes of the SHA-256, marked as version 8 of RFC 9562.
    static func uuid(_ text: String) -> String {
        var bytes = Array(SHA256.hash(data: Data(text.utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
    }
}
