/// The address of a resource: `selene://note/12`, `selene://thread/3`, `selene://book/4/page/xii` or
/// `selene://briefing/today`.
///
/// Words after an id, as in `selene://note/12-tide-gauge`, are for people and are ignored.
enum ResourceAddress: Sendable, Hashable {
    case note(Int64)
    case thread(Int64)
    /// A page by its printed number, else by its number in the file.
    case page(Int64, String)
    /// What is new since yesterday.
    case briefing

    private static let scheme = "selene://"
    /// The longest address in bytes.
    private static let maxBytes = 512

    /// Reads an address; nil for any other text.
    init?(_ uri: String) {
        guard uri.utf8.count <= Self.maxBytes, uri.hasPrefix(Self.scheme) else { return nil }
        let parts = uri.dropFirst(Self.scheme.count).split(separator: "/", omittingEmptySubsequences: false)
        if parts.elementsEqual(["briefing", "today"]) {
            self = .briefing
            return
        }
        guard parts.count >= 2, let id = Self.id(parts[1]) else { return nil }
        switch (parts[0], parts.count) {
        case ("note", 2): self = .note(id)
        case ("thread", 2): self = .thread(id)
        case ("book", 4) where parts[2] == "page" && (1...20).contains(parts[3].utf8.count):
            self = .page(id, String(parts[3]))
        default: return nil
        }
    }

    private static func id(_ text: Substring) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let rest = text.dropFirst(digits.count)
        return rest.isEmpty || rest.first == "-" ? Int64(digits) : nil
    }

    /// The address as text.
    var uri: String {
        switch self {
        case .note(let id): "\(Self.scheme)note/\(id)"
        case .thread(let id): "\(Self.scheme)thread/\(id)"
        case .page(let book, let page): "\(Self.scheme)book/\(book)/page/\(page)"
        case .briefing: "\(Self.scheme)briefing/today"
        }
    }

    /// An id with the words of a title: `12-tide-gauge`.
    static func slug(_ id: Int64, _ title: String) -> String {
        let words = title.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return ([String(id)] + words.prefix(8).map { String($0.prefix(24)) }).joined(separator: "-")
    }
}
