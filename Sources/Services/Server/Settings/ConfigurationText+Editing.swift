import GatewayAPI
import Text

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ConfigurationText {
    /// The text with another value of a key, everything else as it is; nil takes the value away.
    ///
    /// - Throws: ``ConfigurationError`` when the text is written in a way that only a person can change.
    static func setting(
        _ key: String, to value: String?, in text: String, _ path: String
    ) throws(ConfigurationError) -> String {
        let old = try entries(of: Data(text.utf8), path)
        let new: String
        let first = text.split(whereSeparator: \.isNewline).first { line in
            line.contains { !$0.isWhitespace } && !line.drop(while: \.isWhitespace).hasPrefix("#")
        }
        if first?.drop(while: \.isWhitespace).hasPrefix("{") == true {
            new = object(key, value, in: text) ?? text
        } else {
            new = lines(key, value, in: text, at: old.first { $0.key == key }?.line)
        }
        // Nothing but this key may have changed.
        let found = try? entries(of: Data(new.utf8), path)
        let others = old.filter { $0.key != key }.map(\.pair)
        guard let found, Set(found.filter { $0.key != key }.map(\.pair)) == Set(others),
            found.first(where: { $0.key == key })?.value == value
        else {
            throw ConfigurationError(
                message: "the configuration file \(path) is written in a way that only an editor can change; "
                    + "set \"\(key)\" there")
        }
        return new
    }

    /// A text as one YAML value.
    package static func scalar(_ text: String) -> String {
        let isPlain =
            text.first.map { $0.isLetter || $0.isNumber || "/~.".contains($0) } == true && text != "null"
            && text != "~" && !text.contains(": ") && !text.contains(" #") && text.last != ":" && text.last != " "
        return isPlain
            ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }

    private static func object(_ key: String, _ value: String?, in text: String) -> String? {
        guard var object = try? JSONDecoder().decode([String: JSONValue].self, from: Data(text.utf8)) else {
            return nil
        }
        object[key] = value.map(JSONValue.string)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(object)).map { String(decoding: $0, as: UTF8.self) + "\n" }
    }

    /// - Parameter line: The line of the key, from 1 on; nil when the text does not have it.
    private static func lines(_ key: String, _ value: String?, in text: String, at line: Int?) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        let entry = value.map { "\(key): \(scalar($0))" }
        let template = lines.firstIndex { $0.hasPrefix("#\(key):") }
        if let line, lines.indices.contains(line - 1) {
            // The lines that belong to the value begin with white space, or are items.
            let end =
                lines[line...].firstIndex { !$0.hasPrefix(" ") && !$0.hasPrefix("\t") && !$0.hasPrefix("- ") }
                ?? lines.endIndex
            var kept = Array(lines[(line - 1)..<end])
            // What a person wrote beside the value stays as a comment; a bare value is the gateway's own.
            let isBare = kept.count == 1 && !kept[0].contains("#")
            kept = isBare && (entry != nil || template != nil) ? [] : kept.map { "#\($0)" }
            lines.replaceSubrange((line - 1)..<end, with: kept + (entry.map { [$0] } ?? []))
        } else if let entry {
            lines.insert(entry, at: template.map { $0 + 1 } ?? lines.endIndex)
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension ConfigurationText.Entry {
    fileprivate var pair: [String] { [key, value] }
}
