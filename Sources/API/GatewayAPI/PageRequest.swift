/// Which page of a list is wanted.
public struct PageRequest: Sendable, Hashable {
    /// Rows at most, 1 to 500; the route's own default when nil.
    public var limit: Int?
    /// The `nextCursor` of the page before; nil for the first page.
    public var cursor: String?

    /// Creates a request for a page.
    public init(limit: Int? = nil, cursor: String? = nil) {
        self.limit = limit
        self.cursor = cursor
    }

    /// The first page, as long as the route makes it.
    public static var first: PageRequest { PageRequest() }

    /// The first page with so many rows at most.
    public static func first(_ limit: Int) -> PageRequest { PageRequest(limit: limit) }
}
