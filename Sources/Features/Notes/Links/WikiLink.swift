import Text

/// A link between notes as editors of Markdown write it: `[[target]]`, `[[target|shown]]`, `[[target#heading]]`. The target
/// is a note's title, or the name of its file with or without folders.
struct WikiLink: Hashable {
    /// What the link names.
    let target: String
    /// Where the link begins, in UTF-8 bytes of the text.
    let start: Int

    /// The longest link that is read, in UTF-8 bytes.
    private static let longest = 400

    /// The links of a text in their order. A link stands in one line and holds no other one.
    static func all(in text: String) -> [WikiLink] {
        let bytes = Array(text.utf8)
        var links: [WikiLink] = []
        var place = 0
        while place + 1 < bytes.count {
            guard bytes[place] == UInt8(ascii: "["), bytes[place + 1] == UInt8(ascii: "[") else {
                place += 1
                continue
            }
            let begin = place + 2
            var end = begin
            let last = min(bytes.count, begin + longest)
            while end < last, ![UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "\n")].contains(bytes[end]) {
                end += 1
            }
            guard end + 1 < bytes.count, bytes[end] == UInt8(ascii: "]"), bytes[end + 1] == UInt8(ascii: "]") else {
                place += 1
                continue
            }
            let named = bytes[begin..<end].prefix { $0 != UInt8(ascii: "|") && $0 != UInt8(ascii: "#") }
            let target = String(decoding: named, as: UTF8.self).split(whereSeparator: \.isWhitespace)
                .joined(separator: " ")
            if !target.isEmpty { links.append(WikiLink(target: target, start: place)) }
            place = end + 2
        }
        return links
    }

    /// A name without the ending of a Markdown file.
    static func bare(_ name: String) -> String { name.hasSuffix(".md") ? String(name.dropLast(3)) : name }

    /// A name as names are compared: without the ending of a Markdown file, ignoring case.
    static func key(_ name: String) -> String { TextFolding.folded(bare(name)) }

    /// Whether a link's target names a note with this title and file.
    ///
    /// - Parameter file: The note's name in its source, such as a path.
    static func target(_ target: String, names title: String, file: String?) -> Bool {
        let key = key(target)
        guard key != TextFolding.folded(title) else { return true }
        guard let file = file.map(Self.key) else { return false }
        return file == key || file.hasSuffix("/" + key)
    }
}
