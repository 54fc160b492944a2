/// The error body of every route: `{"error": "…", "code": "…"}`.
public struct APIErrorBody: Codable, Sendable, Hashable {
    /// A sentence for the user: what is wrong and, where possible, what to do.
    public var error: String
    /// A stable error code for programs, such as `invalid_field` or `upstream_refused`.
    public var code: String

    /// Creates an error body.
    public init(error: String, code: String) {
        self.error = error
        self.code = code
    }
}
