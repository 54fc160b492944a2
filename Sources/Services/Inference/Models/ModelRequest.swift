public import NIOCore
public import Transport

/// A request for a model, as the rules want it sent.
public struct ModelRequest: Sendable {
    /// The model as the client wrote it; nil when it could not be told.
    public var name: String?
    /// The model as Ollama knows it.
    public var model: String?
    /// The body, or its beginning.
    public var body: ByteBuffer
    /// Bytes by which the body is longer than the client's.
    public var growth = 0

    /// Ollama's own routes whose bodies have `options` and `keep_alive`. OpenAI's have no place for them.
    public static let optionRoutes: Set<String> = ["/api/generate", "/api/chat", "/api/embed", "/api/embeddings"]

    /// Whether a route embeds: its vectors have to come from the same weights each time.
    ///
    /// - Parameter path: The route, with or without a query.
    public static func isEmbedding(_ path: String) -> Bool { path.contains("/embed") }

    /// Applies rules to a body.
    ///
    /// - Parameters:
    ///   - path: The route, without a query.
    ///   - peek: What was seen of the body; all of it, unless the body is larger than was collected.
    public init(path: String, body: ByteBuffer, peek: ModelPeek, rules: ModelRules) {
        self.body = body
        guard case .model(let name) = peek.finding else { return }
        let real = rules.resolve(name)
        self.name = name
        model = real
        guard !rules.isEmpty else { return }
        var rewrite = BodyRewrite(peek)
        if real != name { rewrite.setModel(real) }
        if Self.optionRoutes.contains(path), let defaults = rules.defaults(for: real) {
            rewrite.fill(defaults, in: body)
        }
        self.body = rewrite.apply(to: body)
        growth = rewrite.growth
    }

    /// The request that loads the model as this one will want it; nil when there is no reason to.
    ///
    /// It has the request's own options, since Ollama would load the model anew for others, and loads by the route that
    /// the model is for. A request that unloads the model loads nothing.
    public func load(path: String) -> UpstreamRequest? {
        guard let model else { return nil }
        let isEmbedding = Self.isEmbedding(path)
        var json = Array("{\"model\":".utf8) + JSONText.literal(model)
        json += Array((isEmbedding ? ",\"input\":[]" : ",\"stream\":false").utf8)
        if Self.optionRoutes.contains(path) {
            var peek = ModelPeek()
            peek.push(body)
            for name in ["options", "keep_alive"] {
                guard let member = peek.members(name).last, member.kind != .null,
                    let value = body.getBytes(
                        at: body.readerIndex + member.range.lowerBound, length: member.range.count)
                else { continue }
                if name == "keep_alive", Self.isZero(value) { return nil }
                json += Array(",\"\(name)\":".utf8) + value
            }
        }
        json.append(UInt8(ascii: "}"))
        return UpstreamRequest(
            method: "POST", path: isEmbedding ? "/api/embed" : "/api/generate",
            headers: [("Content-Type", "application/json")], body: ByteBuffer(bytes: json))
    }

    /// Whether a duration has no digit but zeros.
    private static func isZero(_ json: [UInt8]) -> Bool {
        !json.contains { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
    }
}
