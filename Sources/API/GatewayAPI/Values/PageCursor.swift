/// The start of a page: the sort key of the previous page's last row. Rows inserted or deleted elsewhere do not shift
/// pages.
package struct PageCursor: Sendable, Hashable {
    /// The numbers of the sort key, in order.
    package var numbers: [Int64]
    /// The last part of the sort key, if it is a text id.
    package var id: String?

    package init(_ numbers: Int64..., id: String? = nil) {
        self.numbers = numbers
        self.id = id
    }

    /// The cursor of a list by ids, largest first, that begins below an id.
    package init(before id: Int64) { self.init(id) }

    /// Parses ``text``; nil for anything else.
    package init?(text: String) {
        var parts = text.split(separator: "_", omittingEmptySubsequences: false)[...]
        guard text.utf8.count <= 2048 else { return nil }
        id = nil
        if let last = parts.last, last.first == "x" {
            guard let name = Hexadecimal.bytes(last.dropFirst()).flatMap({ String(validating: $0, as: UTF8.self) })
            else { return nil }
            id = name
            parts.removeLast()
        }
        numbers = []
        for part in parts {
            guard let number = Int64(part) else { return nil }
            numbers.append(number)
        }
        guard !numbers.isEmpty else { return nil }
    }

    /// The cursor as text for URLs.
    package var text: String {
        let words = numbers.map(String.init) + (id.map { ["x" + Hexadecimal.text($0.utf8)] } ?? [])
        return words.joined(separator: "_")
    }
}
