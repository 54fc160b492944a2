import Logging

/// One line of the log, in either format. Control characters are escaped, and values are quoted where they would be
/// ambiguous.
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
            line += ControlScalar.escaped(message).utf8
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

    /// Keys that every JSON object has already.
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

    static func appendString(_ text: String, to line: inout [UInt8]) {
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

    /// Appends a key or a value, in quotes when it would be ambiguous.
    static func appendField(_ text: String, to line: inout [UInt8]) {
        let start = line.count
        line.append(contentsOf: text.utf8)
        let isPlain = line[start...].allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x3D }
        if isPlain, line.count > start { return }
        line.removeSubrange(start...)
        appendString(text, to: &line)
    }
}
