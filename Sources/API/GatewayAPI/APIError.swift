/// The one error body of every route: `{"error": "…", "code": "…"}`.
public struct APIErrorBody: Codable, Sendable, Hashable {
    /// A sentence for people: what is wrong and, where it helps, what to do.
    public var error: String
    /// A stable word for programs, such as `invalid_field` or `upstream_refused`.
    public var code: String

    /// Creates an error body.
    public init(error: String, code: String) {
        self.error = error
        self.code = code
    }
}
