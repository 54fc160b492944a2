/// The second line of a clipping: its kind, its place and its date, in the language of the device.
struct KindleMetadata {
    /// The line without its dash.
    let text: String
    let kind: KindleClipping.Kind
    /// The page as it is written, such as `12` or `xii`.
    let page: String?
    /// The first and the last location, or the pages when there are no locations.
    let range: ClosedRange<Int>?
    /// The locations as they are written, such as `170-172`.
    let location: String?
    /// The date in ISO form; nil when it was not understood.
    let date: String?
    /// The part with the date; nil when there is none.
    let dateText: String?

    /// - Parameter line: The line; nil is returned for one that is none of a clipping.
    init?(_ line: String) {
        guard line.hasPrefix("-"), line.utf8.count <= Self.mostBytes else { return nil }
        text = line.drop { $0 == "-" || $0.isWhitespace }.trimming(\.isWhitespace)
        var parts = text.split(separator: "|").map { $0.trimming(\.isWhitespace) }
        guard !parts.isEmpty else { return nil }
        let dated = parts.indices.last { $0 > 0 && Self.hasYear(parts[$0]) }
        dateText = dated.map { parts.remove(at: $0) }
        kind = Self.kind(parts.joined(separator: " ").lowercased())
        date = dateText.flatMap(DatedLine.read)
        var (page, location): (String?, String?) = (nil, nil)
        // Chinese has the location in parentheses behind the page.
        for part in parts.flatMap({ $0.split(separator: "（").map(String.init) }) {
            let lower = part.lowercased()
            let isPage = Self.pages.contains(where: lower.contains)
            guard let number = Self.number(part) else {
                // A Roman number.
                if isPage, let last = part.split(separator: " ").last,
                    last.allSatisfy({ "ivxlcdmIVXLCDM".contains($0) })
                {
                    page = String(last)
                }
                continue
            }
            let isLocation = Self.locations.contains(where: lower.contains)
            if isPage && !isLocation || (!isLocation && location != nil) { page = number } else { location = number }
        }
        (self.page, self.location) = (page, location)
        range = (location ?? page).flatMap(Self.range)
    }

    /// The most bytes of such a line; real ones have about 100.
    private static let mostBytes = 2000

    /// The place for people.
    var place: String? { page.map { "page \($0)" } ?? location.map { "location \($0)" } }

    private static let bookmarks = [
        "bookmark", "lesezeichen", "signet", "marcador", "segnalibro", "bladwijzer", "закладка", "ブックマーク", "书签", "書籤",
    ]
    private static let highlights = [
        "highlight", "markierung", "surlign", "subrayado", "resaltado", "destaque", "evidenziazione", "markering",
        "выделен", "ハイライト", "标注", "標註",
    ]
    private static let notes = ["note", "notiz", "nota", "notitie", "заметка", "メモ", "笔记", "筆記"]
    private static let pages = ["page", "seite", "página", "pagina", "страниц", "ページ", "页", "頁"]
    private static let locations = [
        "loc.", "location", "position", "emplacement", "posición", "posizione", "posição", "positie", "местополож",
        "位置",
    ]

    private static func kind(_ words: String) -> KindleClipping.Kind {
        if bookmarks.contains(where: words.contains) { return .bookmark }
        if highlights.contains(where: words.contains) { return .highlight }
        return notes.contains(where: words.contains) ? .note : .other
    }

    /// Whether a part has four digits of a year in a row, and no more.
    private static func hasYear(_ part: String) -> Bool {
        part.split { !($0.isASCII && $0.isNumber) }.contains {
            $0.count == 4 && ($0.hasPrefix("19") || $0.hasPrefix("20"))
        }
            && part.contains { $0.isLetter || $0 == ":" }
            && !(pages + locations).contains(where: part.lowercased().contains)
    }

    /// The first number of a part, or two numbers with a dash between them.
    private static func number(_ part: String) -> String? {
        let start = part.drop { !isDigit($0) }
        let first = start.prefix(while: isDigit)
        guard !first.isEmpty else { return nil }
        let rest = start.dropFirst(first.count)
        let second = rest.dropFirst().prefix(while: isDigit)
        guard let dash = rest.first, dash == "-" || dash == "–", !second.isEmpty else { return String(first) }
        return "\(first)-\(second)"
    }

    private static func isDigit(_ sign: Character) -> Bool { sign.isASCII && sign.isNumber }

    /// The numbers of a place. `170-72` means 170 to 172.
    private static func range(_ place: String) -> ClosedRange<Int>? {
        let ends = place.split(separator: "-")
        guard let first = ends.first, let start = Int(first) else { return nil }
        guard ends.count == 2 else { return start...start }
        let whole = ends[1].count < first.count ? first.dropLast(ends[1].count) + ends[1] : ends[1]
        return Int(whole).map { start...max(start, $0) }
    }
}
