import Foundation

/// The fields of a page or of a row that a note has, too.
struct NotionFields {
    private let fields: [(name: String, value: String)]

    /// The most fields of a page that are looked at.
    private static let most = 200

    init(_ fields: [(name: String, value: String)]) { self.fields = fields }

    /// - Parameter lines: A page: a heading, then a line for each field, up to an empty line.
    init(lines: String) {
        var rest = lines.split(separator: "\n", maxSplits: Self.most, omittingEmptySubsequences: false)[...]
        if rest.first?.hasPrefix("# ") == true { rest = rest.dropFirst() }
        rest = rest.drop { $0.allSatisfy(\.isWhitespace) }
        fields = rest.prefix { $0.contains(": ") }.compactMap { line in
            line.range(of: ": ").map { (String(line[..<$0.lowerBound]), String(line[$0.upperBound...])) }
        }
    }

    /// Sets the date and adds the tags.
    func apply(to note: inout IngestedNote) {
        for (name, value) in fields {
            let name = name.lowercased()
            if ["tags", "tag"].contains(name) {
                note.tags = TagWords.distinct(
                    value.split(separator: ",").compactMap { TagWords.clean($0) } + note.tags)
            }
            if ["created", "created time", "date created", "date", "erstellt", "erstellt am", "datum"].contains(name),
                note.createdAt == nil || note.isDateGuessed, let found = IngestedDate.read(value)
            {
                (note.createdAt, note.isDateGuessed) = (found.text, false)
            }
        }
    }
}
