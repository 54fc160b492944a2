import Logging

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// One line of the log, in either format. Control characters never get into a line as they are.
struct LogLine {
    let format: LogFormat
    let label: String

    /// The bytes of a line with its end.
    func bytes(
        level: Logger.Level, message: String, source: String, metadata: Logger.Metadata
    ) -> [UInt8] {
        let facts = metadata.sorted { $0.key < $1.key }
        var line: [UInt8] = []
        line.reserveCapacity(256)
        switch format {
        case .text:
            line += "\(Self.time()) \(level) \(label):".utf8
            for (key, value) in facts { line += " \(Self.plain(key))=\(Self.plain(value.description))".utf8 }
            line += " [\(source)] \(Self.plain(message))".utf8
        case .json:
            line += "{\"time\":\"\(Self.time())\",\"level\":\"\(level)\",\"message\":".utf8
            Self.appendString(message, to: &line)
            line += ",\"source\":".utf8
            Self.appendString(source, to: &line)
            for (key, value) in facts {
                line.append(UInt8(ascii: ","))
                Self.appendString(Self.reserved.contains(key) ? key + "_" : key, to: &line)
                line.append(UInt8(ascii: ":"))
                Self.append(value, to: &line)
            }
            line.append(UInt8(ascii: "}"))
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// What every object has already.
    private static let reserved: Set<String> = ["time", "level", "message", "source"]

    private static func append(_ value: Logger.MetadataValue, to line: inout [UInt8]) {
        switch value {
        case .string(let text): appendString(text, to: &line)
        case .stringConvertible(let value):
            switch value {
            case is Int, is Int64, is Bool, is LogNumber: line += value.description.utf8
            default: appendString(value.description, to: &line)
            }
        case .array(let values):
            line.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { line.append(UInt8(ascii: ",")) }
                append(value, to: &line)
            }
            line.append(UInt8(ascii: "]"))
        case .dictionary(let values):
            line.append(UInt8(ascii: "{"))
            for (index, (key, value)) in values.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { line.append(UInt8(ascii: ",")) }
                appendString(key, to: &line)
                line.append(UInt8(ascii: ":"))
                append(value, to: &line)
            }
            line.append(UInt8(ascii: "}"))
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func appendString(_ text: String, to line: inout [UInt8]) {
        line.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): line += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): line += "\\n".utf8
            case 0..<0x20, 0x7F: line += "\\u00".utf8 + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: line.append(byte)
            }
        }
        line.append(UInt8(ascii: "\""))
    }

    /// A text on one line.
    private static func plain(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return text }
        return String(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
    }

    /// The time in UTC with milliseconds.
    private static func time() -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var parts = tm()
        gmtime_r(&now.tv_sec, &parts)
        func digits(_ number: Int, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        return digits(Int(parts.tm_year) + 1900, 4) + "-" + digits(Int(parts.tm_mon) + 1, 2) + "-"
            + digits(Int(parts.tm_mday), 2) + "T" + digits(Int(parts.tm_hour), 2) + ":" + digits(Int(parts.tm_min), 2)
            + ":" + digits(Int(parts.tm_sec), 2) + "." + digits(now.tv_nsec / 1_000_000, 3) + "Z"
    }
}

/// A number that is written already, for a log in JSON.
struct LogNumber: CustomStringConvertible, Sendable {
    let description: String
}
