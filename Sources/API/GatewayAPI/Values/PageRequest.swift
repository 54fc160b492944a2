/// A page of a list: its cursor and its size.
public struct PageRequest: Sendable, Hashable {
    /// The maximum number of rows, 1 to 500; the route's default when nil.
    public var limit: Int?
    /// The `nextCursor` of the previous page; nil for the first page.
    public var cursor: String?

    /// Creates a page request.
    public init(limit: Int? = nil, cursor: String? = nil) {
        self.limit = limit
        self.cursor = cursor
    }

    /// The first page with the route's default size.
    public static var first: PageRequest { PageRequest() }

    /// Returns a request for the first page with at most `limit` rows.
    public static func first(_ limit: Int) -> PageRequest { PageRequest(limit: limit) }
}
