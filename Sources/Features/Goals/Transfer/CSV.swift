import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Comma-separated values by RFC 4180.
enum CSV {
    /// Fields of a line, quoted where they need it, with a line feed.
    static func line(_ fields: [String]) -> String {
        fields.map { field in
            let isPlain = !field.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
            return isPlain ? field : "\"\(field.replacing("\"", with: "\"\""))\""
        }.joined(separator: ",") + "\n"
    }

    /// The records of a text. Quoted fields may have commas, line feeds and doubled quotes; empty lines are skipped.
    static func records(_ text: String) -> [[String]] {
        var records: [[String]] = []
        var fields: [String] = []
        var field: [UInt8] = []
        var isQuoted = false
        var bytes = Array(text.utf8)[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        func take(_ field: inout [UInt8]) -> String {
            defer { field = [] }
            return String(decoding: field, as: UTF8.self)
        }
        var wasQuoted = false
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
            case 0x2C: fields.append(take(&field))
            case 0x0D where bytes.first == 0x0A: break
            case 0x0A:
                if !(fields.isEmpty && field.isEmpty) || wasQuoted { records.append(fields + [take(&field)]) }
                (fields, wasQuoted) = ([], false)
            default: field.append(byte)
            }
        }
        if !(fields.isEmpty && field.isEmpty) { records.append(fields + [take(&field)]) }
        return records
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
