/// The start of a page: the sort key of the previous page's last row. Rows inserted or deleted elsewhere do not shift
/// pages.
public struct PageCursor: Sendable, Hashable {
    /// The numbers of the sort key, in order.
    package var numbers: [Int64]
    /// The last part of the sort key, if it is a text id.
    package var id: String?

    package init(_ numbers: Int64..., id: String? = nil) {
        self.numbers = numbers
        self.id = id
    }

    /// The cursor of a list by ids, largest first, that begins below an id.
    public init(before id: Int64) { self.init(id) }

    /// Parses ``text``; nil for anything else.
    public init?(text: String) {
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
    public var text: String {
        let words = numbers.map(String.init) + (id.map { ["x" + Hexadecimal.text($0.utf8)] } ?? [])
        return words.joined(separator: "_")
    }

    /// Rejects a cursor of another list.
    package func check(numbers count: Int, hasID: Bool = false) throws(StorageError) {
        guard numbers.count == count, (id != nil) == hasID else {
            throw StorageError(.invalid, "field \"cursor\": not a cursor of this list")
        }
    }
}

/// A page of a list.
public struct Page<Item: Sendable>: Sendable {
    /// The items, in the order of the list.
    public var items: [Item]
    /// The start of the next page; nil on the last page.
    public var next: PageCursor?

    /// Creates a page from rows, ending it at `limit` items or before it exceeds ``PageLimits/maxBytes``. The caller
    /// reads `limit` + 1 rows, so that the page knows whether another follows.
    ///
    /// - Parameter bytes: The approximate memory of an item in bytes.
    package init(_ rows: [(item: Item, cursor: PageCursor)], limit: Int, bytes: (Item) -> Int) {
        var total = 0
        var count = 0
        for row in rows.prefix(limit) {
            total += bytes(row.item)
            if total > PageLimits.maxBytes, count > 0 { break }
            count += 1
        }
        items = rows.prefix(count).map(\.item)
        next = count < rows.count ? rows[count - 1].cursor : nil
    }

    /// Loads the rows of a page one by one, until the page is full or exceeds ``PageLimits/maxBytes``. Rows may be
    /// large, so rows beyond the page are not kept in memory.
    ///
    /// - Parameter keys: The keys of the rows, up to `limit` + 1.
    init<Key>(
        _ keys: [(key: Key, cursor: PageCursor)], limit: Int, bytes: (Item) -> Int, load: (Key) throws -> Item?
    ) throws {
        items = []
        next = nil
        var total = 0
        for (index, row) in keys.prefix(limit).enumerated() {
            guard let item = try load(row.key) else { continue }
            total += bytes(item)
            if total > PageLimits.maxBytes, !items.isEmpty {
                next = keys[index - 1].cursor
                return
            }
            items.append(item)
        }
        if keys.count > limit { next = keys[limit - 1].cursor }
    }

    package init(items: [Item], next: PageCursor?) {
        self.items = items
        self.next = next
    }
}

/// Limits of every page.
public enum PageLimits {
    /// The maximum bytes of text in a page; a page of a single row may exceed it.
    public static let maxBytes = 16 << 20
}
