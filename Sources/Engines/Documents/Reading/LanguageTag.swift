/// Language tags as files write them.
enum LanguageTag {
    /// A well-formed BCP 47 tag, such as `de` or `zh-Hant-TW`; nil for other text.
    static func tag(_ text: String?) -> String? {
        guard let text else { return nil }
        let parts = CanonicalText.line(text).replacing("_", with: "-").split(
            separator: "-", omittingEmptySubsequences: false)
        guard let first = parts.first, (2...3).contains(first.utf8.count), first.utf8.allSatisfy({ isLetter($0) }),
            parts.count <= 8,
            parts.allSatisfy({ (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy { isLetter($0) || isDigit($0) } })
        else { return nil }
        let rest = parts.dropFirst().map { part in
            switch part.utf8.count {
            case 2: part.uppercased()
            case 4: part.prefix(1).uppercased() + part.dropFirst().lowercased()
            default: part.lowercased()
            }
        }
        return ([first.lowercased()] + rest).joined(separator: "-")
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
