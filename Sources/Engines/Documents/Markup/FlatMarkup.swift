/// Markup as plain bytes, for documents that are nested more deeply than a parser goes.
enum FlatMarkup {
    /// Elements without a meaning for the flow of text. Without their tags the text is the same.
    private static let inline: Set<String> = [
        "font", "span", "b", "i", "u", "s", "em", "strong", "small", "big", "tt", "a", "abbr", "acronym", "cite",
        "code",
        "del", "dfn", "ins", "kbd", "label", "mark", "nobr", "samp", "strike", "sub", "sup", "time", "var", "bdi",
        "bdo",
        "q", "o:p",
    ]
    /// Elements whose tags stay: they are empty, or what is inside is no text of the page.
    private static let kept: Set<String> = MarkupElements.leftOut.union([
        "html", "head", "body", "br", "hr", "img", "h1", "h2", "h3", "h4", "h5", "h6",
    ])

    /// HTML in which each block begins a paragraph of its own and inline elements are gone: all text is in it, at a depth of a
    /// few elements.
    static func html(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var place = 0
        while place < bytes.count {
            guard bytes[place] == UInt8(ascii: "<"), let tag = tag(bytes, at: place) else {
                result.append(bytes[place])
                place += 1
                continue
            }
            if inline.contains(tag.name) {
                // Nothing is written.
            } else if tag.name.isEmpty || kept.contains(tag.name) {
                result += bytes[place..<tag.end]
            } else {
                result += Array("<p>".utf8)
            }
            place = tag.end
        }
        return result
    }

    /// The tag, comment or declaration at a `<`; its name is empty for the last two.
    private static func tag(_ bytes: [UInt8], at start: Int) -> (name: String, end: Int)? {
        var place = start + 1
        guard place < bytes.count else { return nil }
        if bytes[place] == UInt8(ascii: "!") || bytes[place] == UInt8(ascii: "?") {
            let isComment = bytes[place...].starts(with: Array("!--".utf8))
            while place < bytes.count {
                if bytes[place] == UInt8(ascii: ">"),
                    !isComment || (place >= start + 6 && bytes[place - 1] == 0x2D && bytes[place - 2] == 0x2D)
                {
                    return ("", place + 1)
                }
                place += 1
            }
            return nil
        }
        if bytes[place] == UInt8(ascii: "/") { place += 1 }
        let first = place
        while place < bytes.count, isName(bytes[place]) { place += 1 }
        guard place > first, place - first <= 32 else { return nil }
        let name = String(decoding: bytes[first..<place], as: UTF8.self).lowercased()
        var quote: UInt8?
        while place < bytes.count {
            let byte = bytes[place]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return (name, place + 1)
            }
            place += 1
        }
        return nil
    }

    private static func isName(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x3A).contains(byte) || byte == UInt8(ascii: "-")
    }

    /// The bytes of text outside of tags, without white space: about what a reader of the document gets.
    static func textBytes(_ bytes: [UInt8]) -> Int {
        var (count, isTag) = (0, false)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "<"): isTag = true
            case UInt8(ascii: ">"): isTag = false
            default: if !isTag, byte > 0x20 { count += 1 }
            }
        }
        return count
    }

    /// The bytes that are no white space.
    static func size(_ text: String.UTF8View) -> Int { text.reduce(0) { $0 + ($1 > 0x20 ? 1 : 0) } }

    /// A sentence with how much of a part's text is missing; nil if hardly any is.
    static func loss(_ tree: MarkupTree, of bytes: [UInt8]) -> String? {
        let (whole, read) = (textBytes(bytes), tree.textBytes)
        // Entities and elements without text of their own differ a little.
        guard whole > 0, read < whole - whole / 50 - 16 else { return nil }
        let share = max(1, 100 - read * 100 / whole)
        return "about \(share) % of its text (\(max(1, (whole - read) / 1000)) kB) could not be read"
    }
}
