import Logging

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// One line of the log, in either format. Control characters are escaped, and no value can look like two.
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
            for (key, value) in facts { line += [0x20] + Self.field(key) + [0x3D] + Self.field(value.description) }
            line += " [\(source)] \(ControlScalar.escaped(message))".utf8
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

    private static func appendString(_ text: String, to line: inout [UInt8]) {
        line.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": line += [UInt8(ascii: "\\"), UInt8(scalar.value)]
            case _ where ControlScalar.contains(scalar): line += ControlScalar.escape(scalar).utf8
            default: line += String(scalar).utf8
            }
        }
        line.append(UInt8(ascii: "\""))
    }

    /// A key or a value: in quotes when it could be taken for more than one, or for another one's end.
    private static func field(_ text: String) -> [UInt8] {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x3D }
        if isPlain { return Array(text.utf8) }
        var quoted: [UInt8] = []
        appendString(text, to: &quoted)
        return quoted
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
