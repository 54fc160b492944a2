package import GatewayAPI

extension PageCursor {
    /// Rejects a cursor of another list.
    package func check(numbers count: Int, hasID: Bool = false) throws(StorageError) {
        guard numbers.count == count, (id != nil) == hasID else {
            throw StorageError(.invalid, "field \"cursor\": not a cursor of this list")
        }
    }
}

/// A page of a list.
package struct Page<Item: Sendable>: Sendable {
    /// The items, in the order of the list.
    package var items: [Item]
    /// The start of the next page; nil on the last page.
    package var next: PageCursor?

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
    package init<Key>(
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
package enum PageLimits {
    /// The maximum bytes of text in a page; a page of a single row may exceed it.
    package static let maxBytes = 16 << 20
}
