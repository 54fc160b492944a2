/// The body of `POST /api/sessions/:id/compress`; the body and its field may be absent.
public struct CompressRequest: Codable, Sendable, Hashable {
    /// The model that summarises, `llama3.2` or `provider/model`; the gateway's when absent.
    public var model: String?

    /// Creates a request.
    public init(model: String? = nil) { self.model = model }
}
