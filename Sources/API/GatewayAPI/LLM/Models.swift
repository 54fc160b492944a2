/// The reply of Ollama's `GET /api/tags`.
public struct ModelsResponse: Codable, Sendable, Hashable {
    /// The installed models.
    public var models: [Model]

    /// Creates a reply.
    public init(models: [Model]) { self.models = models }

    /// An installed model.
    public struct Model: Codable, Sendable, Hashable {
        /// The name with its tag, such as `llama3.2:latest`.
        public var name: String
        /// The size in bytes.
        public var size: Int64?
        /// The digest of the weights that the name refers to now.
        public var digest: String?

        /// Creates a model.
        public init(name: String, size: Int64? = nil, digest: String? = nil) {
            self.name = name
            self.size = size
            self.digest = digest
        }
    }
}
