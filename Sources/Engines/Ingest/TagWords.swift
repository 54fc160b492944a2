/// Tags as authors write them.
enum TagWords {
    /// The tags of one text: separated by commas, or by white space where the text has no comma. `#` before a tag is no part
    /// of it.
    static func split(_ text: String) -> [String] {
        let parts = text.contains(",") ? text.split(separator: ",") : text.split(whereSeparator: \.isWhitespace)
        return parts.flatMap { part -> [String] in
            let part = part.trimming(\.isWhitespace)
            return part.hasPrefix("#") ? part.split(whereSeparator: \.isWhitespace).map(String.init) : [part]
        }.compactMap(Self.clean)
    }

    /// A tag without `#`, quotes and white space; nil when nothing is left.
    static func clean(_ tag: some StringProtocol) -> String? {
        let name = tag.trimming { $0.isWhitespace || $0 == "\"" || $0 == "'" }.drop { $0 == "#" }
            .trimming(\.isWhitespace)
        return name.isEmpty ? nil : name
    }

    /// The distinct tags, in order.
    static func distinct(_ tags: [String]) -> [String] {
        var seen: Set<String> = []
        return tags.filter { seen.insert($0).inserted }
    }
}
