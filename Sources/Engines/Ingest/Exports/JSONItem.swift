import Foundation

/// Objects of JSON documents that other programs write.
enum JSONItem {
    /// Reads an object; nil for bytes that are none.
    ///
    /// Halves of surrogate pairs, which programs leave when they cut a text, become U+FFFD.
    static func object(_ bytes: [UInt8]) -> [String: Any]? {
        if let object = try? JSONSerialization.jsonObject(with: Data(bytes)) { return object as? [String: Any] }
        guard let repaired = withoutHalves(bytes) else { return nil }
        return (try? JSONSerialization.jsonObject(with: Data(repaired))) as? [String: Any]
    }

    /// A text that is not empty.
    static func text(_ value: Any?) -> String? { (value as? String).flatMap { $0.isEmpty ? nil : $0 } }

    /// A time of ISO 8601, or of seconds, milliseconds, microseconds or nanoseconds since 1970, in ISO 8601.
    static func date(_ value: Any?) -> String? {
        if let text = value as? String {
            if let found = IngestedDate.read(text) { return found.text }
            return nil
        }
        guard var seconds = (value as? NSNumber)?.doubleValue, seconds > 0, seconds.isFinite else { return nil }
        // Seconds of the year 5138 are milliseconds of 1973.
        while seconds >= 100_000_000_000 { seconds /= 1000 }
        return IngestedDate.text(seconds)
    }

    /// Whether a name stands in quotation marks with a colon behind it. Within a text, there are backslashes before the marks.
    static func hasKey(_ key: String, _ bytes: [UInt8]) -> Bool {
        let wanted = Array("\"\(key)\"".utf8)
        for place in bytes.indices where bytes[place] == wanted[0] && bytes[place...].starts(with: wanted) {
            let behind = bytes[(place + wanted.count)...].first { !$0.isASCIIWhitespace }
            if behind == UInt8(ascii: ":") { return true }
        }
        return false
    }

    /// A number, also one that is written as a text.
    static func number(_ value: Any?) -> Double? {
        (value as? NSNumber)?.doubleValue ?? (value as? String).flatMap(Double.init)
    }

    /// Replaces escapes of lone surrogates; nil when there are none.
    private static func withoutHalves(_ bytes: [UInt8]) -> [UInt8]? {
        var (result, place, isChanged) = (bytes, 0, false)
        while place + 5 < result.count {
            guard result[place] == UInt8(ascii: "\\") else {
                place += 1
                continue
            }
            guard let unit = unit(result, place), unit & 0xF800 == 0xD800 else {
                place += 2
                continue
            }
            if unit < 0xDC00, let second = self.unit(result, place + 6), second & 0xFC00 == 0xDC00 {
                place += 12
                continue
            }
            result.replaceSubrange(place..<(place + 6), with: Array("\\ufffd".utf8))
            isChanged = true
            place += 6
        }
        return isChanged ? result : nil
    }

    /// The unit of an escape such as `\ud83d`.
    private static func unit(_ bytes: [UInt8], _ place: Int) -> Int? {
        guard place + 5 < bytes.count, bytes[place] == UInt8(ascii: "\\"), bytes[place + 1] == UInt8(ascii: "u") else {
            return nil
        }
        return Int(String(decoding: bytes[(place + 2)...(place + 5)], as: UTF8.self), radix: 16)
    }
}
