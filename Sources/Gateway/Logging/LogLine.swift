import Logging

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
        var clock = LogClock()
        switch format {
        case .text:
            clock.append(to: &line)
            line += " \(level) \(label):".utf8
            for (key, value) in facts {
                line.append(UInt8(ascii: " "))
                Self.appendField(key, to: &line)
                line.append(UInt8(ascii: "="))
                Self.appendField(value.description, to: &line)
            }
            line += " [\(source)] ".utf8
            Self.appendField(message, to: &line)
        case .json:
            line += "{\"time\":\"".utf8
            clock.append(to: &line)
            line += "\",\"level\":\"\(level)\",\"message\":".utf8
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
            case is Int, is Int64, is Bool: line += value.description.utf8
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

    static func appendString(_ text: String, to line: inout [UInt8]) {
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
    static func appendField(_ text: String, to line: inout [UInt8]) {
        let start = line.count
        line.append(contentsOf: text.utf8)
        for index in start..<line.count where line[index] < 0x20 || line[index] == 0x7F {
            line[index] = UInt8(ascii: " ")
        }
    }
}
