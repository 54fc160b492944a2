/// Where a page begins: the sort key of the last row of the page before. Rows that come or go elsewhere move nothing.
public struct PageCursor: Sendable, Hashable {
    /// The numbers of the key, in their order.
    var numbers: [Int64]
    /// The id, when it is text.
    var id: String?

    init(_ numbers: Int64..., id: String? = nil) {
        self.numbers = numbers
        self.id = id
    }

    /// Reads what ``text`` wrote.
    public init?(text: String) {
        var parts = text.split(separator: "_", omittingEmptySubsequences: false)[...]
        guard text.utf8.count <= 2048 else { return nil }
        id = nil
        if let last = parts.last, last.first == "x" {
            guard let name = Self.unhex(last.dropFirst()) else { return nil }
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

    /// A word for URLs.
    public var text: String {
        let words = numbers.map(String.init) + (id.map { ["x" + Self.hex($0)] } ?? [])
        return words.joined(separator: "_")
    }

    /// Refuses a cursor of another list.
    func check(numbers count: Int, hasID: Bool = false) throws(StorageError) {
        guard numbers.count == count, (id != nil) == hasID else {
            throw StorageError(.invalid, "field \"cursor\": is not one that this list gave")
        }
    }

    private static func hex(_ text: String) -> String {
        let digits = Array("0123456789abcdef".unicodeScalars)
        var result = String.UnicodeScalarView()
        for byte in text.utf8 { result += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return String(result)
    }

    private static func unhex(_ text: Substring) -> String? {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[start...start + 1], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// A part of a list.
public struct Page<Item: Sendable>: Sendable {
    /// In the order of the list.
    public var items: [Item]
    /// Where the next page begins; nil on the last one.
    public var next: PageCursor?

    /// Cuts a page off rows of which one more than the page holds was read, and before it has too many bytes.
    ///
    /// - Parameter bytes: About how much memory an item takes.
    init(_ rows: [(item: Item, cursor: PageCursor)], limit: Int, bytes: (Item) -> Int) {
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

    /// Loads the rows of a page one after the other, until it has as many or as much as it may: rows may be large, and those
    /// that the page does not hold are never in memory.
    ///
    /// - Parameter keys: The keys of the rows, of which one more than the page holds was read.
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

    init(items: [Item], next: PageCursor?) {
        self.items = items
        self.next = next
    }
}

/// What bounds every page.
public enum PageLimits {
    /// A page ends early before it has more text than this, but for a single row.
    public static let maxBytes = 16 << 20
}
