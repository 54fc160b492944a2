/// The name of a file of Notion: a title, cut short, and an id of 32 digits.
struct NotionName {
    /// The title, as far as the name has it.
    let title: String
    /// The id in lower case; nil for a name without one.
    let id: String?
    /// Whether the file has all rows of a database, beside one with those of a view.
    let hasAllRows: Bool

    /// - Parameter name: The path of the file, or the name of a folder.
    init(_ name: String) {
        var stem =
            ["md", "csv"].contains(Ending.of(name)) ? Ending.stem(name) : String(name.split(separator: "/").last ?? "")
        hasAllRows = stem.hasSuffix("_all")
        if hasAllRows { stem = String(stem.dropLast(4)) }
        let last = stem.split(separator: " ").last ?? ""
        if last.utf8.count == 32, last.utf8.allSatisfy({ Self.isHex($0) }) {
            id = last.lowercased()
            title = stem.dropLast(32).trimming(\.isWhitespace)
        } else {
            (id, title) = (nil, stem)
        }
    }

    /// The letters and digits of a title, which names of files keep.
    static func letters(_ title: String) -> String { title.lowercased().filter { $0.isLetter || $0.isNumber } }

    private static func isHex(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
}
