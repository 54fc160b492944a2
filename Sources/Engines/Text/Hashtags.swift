/// Finds hashtags in a note's text.
package enum Hashtags {
    /// The distinct words that begin with `#`, at the start of the text or after white space, in order.
    ///
    /// It looks at bytes; characters are read only where others than ASCII are next to a sign or in a tag.
    ///
    /// - Parameters:
    ///   - maxCount: The most tags; later ones are left out.
    ///   - maxBytes: The longest tag; longer ones are left out.
    package static func find(in text: String, maxCount: Int = 100, maxBytes: Int = 512) -> [String] {
        var text = text
        text.makeContiguousUTF8()
        let bytes = text.utf8
        var tags: [String] = []
        var seen: Set<Substring> = []
        var place = bytes.startIndex
        while tags.count < maxCount, let mark = bytes[place...].firstIndex(of: UInt8(ascii: "#")) {
            place = bytes.index(after: mark)
            guard beginsWord(mark, in: text), let end = end(ofTagFrom: place, in: text, maxBytes: maxBytes) else {
                continue
            }
            let name = text[place..<end]
            place = end
            guard name.contains(where: \.isLetter), seen.insert(name).inserted else { continue }
            tags.append(String(name))
        }
        return tags
    }

    /// Whether the character before a sign is white space.
    private static func beginsWord(_ mark: String.Index, in text: String) -> Bool {
        guard mark > text.startIndex else { return true }
        let byte = text.utf8[text.utf8.index(before: mark)]
        if byte < 0x80 { return byte == 0x20 || byte &- 0x09 < 5 }
        return text[text.index(before: mark)].isWhitespace
    }

    /// The end of the characters of a tag; nil when there are too many, or none.
    private static func end(ofTagFrom start: String.Index, in text: String, maxBytes: Int) -> String.Index? {
        let bytes = text.utf8
        var (end, size) = (start, 0)
        while end < bytes.endIndex, isTagByte(bytes[end]) {
            bytes.formIndex(after: &end)
            size += 1
            // A mark behind the last of them may make another character of it.
            guard size - 1 <= maxBytes else { return nil }
        }
        if end < bytes.endIndex, bytes[end] >= 0x80 {
            // A mark may belong to the character before it, which may be the sign.
            guard text[text.utf8.index(before: start)...].first == "#" else { return nil }
            (end, size) = (start, 0)
            while end < text.endIndex {
                let character = text[end]
                guard character.isLetter || character.isNumber || "-_/".contains(character) else { break }
                size += character.utf8.count
                guard size <= maxBytes else { return nil }
                text.formIndex(after: &end)
            }
        }
        return end > start && size <= maxBytes ? end : nil
    }

    private static func isTagByte(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte == 0x2D || byte == 0x5F || byte == 0x2F
    }
}
