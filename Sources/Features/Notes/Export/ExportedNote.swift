import GatewayAPI

/// A note as a Markdown file with front matter: its path and text.
struct ExportedNote {
    /// The path below the folder: year, month, and a portable file name that contains the note's id.
    let path: String
    /// The content of the file.
    let text: String

    init(_ note: Note) {
        let date = note.createdAt.prefix(10)
        let isDate = Timestamp.unixSeconds(note.createdAt) != nil && date.utf8.count == 10
        let folder = isDate ? "\(date.prefix(4))/\(date.dropFirst(5).prefix(2))" : "undated"
        let slug = Self.slug(note.title)
        let name = [isDate ? String(date) : "", slug, String(note.id)].filter { !$0.isEmpty }.joined(separator: "-")
        path = "Selene/\(folder)/\(name).md"

        var lines = ["---", "title: \(Self.quoted(note.title))", "created: \(Self.quoted(note.createdAt))"]
        lines.append("selene_id: \(note.id)")
        for (key, value) in [
            ("type", note.noteType), ("actionability", note.actionability), ("theme", note.primaryTheme),
            ("sentiment", note.overallSentiment), ("mood", note.emotionalTone), ("energy", note.energyLevel),
        ] {
            if let value, !value.isEmpty { lines.append("\(key): \(Self.quoted(value))") }
        }
        for (key, values) in [
            ("concepts", note.concepts), ("themes", note.secondaryThemes ?? []), ("tags", note.tags),
            ("threads", note.threads.map(\.name)),
        ] where !values.isEmpty {
            lines.append("\(key): [\(values.map(Self.quoted).joined(separator: ", "))]")
        }
        lines += ["---", "", note.content]
        text = lines.joined(separator: "\n") + (note.content.hasSuffix("\n") ? "" : "\n")
    }

    /// Keeps letters and digits and replaces all other runs with one hyphen; at most 80 bytes.
    static func slug(_ title: String) -> String {
        var slug = ""
        var gap = false
        for character in title {
            guard character.isLetter || character.isNumber else {
                gap = !slug.isEmpty
                continue
            }
            let piece = (gap ? "-" : "") + String(character)
            guard slug.utf8.count + piece.utf8.count <= 80 else { break }
            slug += piece
            gap = false
        }
        return slug
    }

    /// Encodes a text as a double-quoted YAML scalar.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22: result += "\\\""
            case 0x5C: result += "\\\\"
            case 0x0A: result += "\\n"
            case 0x09: result += "\\t"
            case 0x0D: result += "\\r"
            case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
