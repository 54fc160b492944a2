package import NIOCore
package import Transport

/// A request for a model, with the model rules applied.
package struct ModelRequest: Sendable {
    /// The model as the client wrote it; nil when the body has none.
    package var name: String?
    /// The model's real name; nil when the body has none.
    package var model: String?
    /// The rewritten body, or its beginning.
    package var body: ByteBuffer
    /// The provider besides Ollama that the model belongs to; nil for Ollama's.
    package var provider: String?
    /// The number of bytes that the rewrite added to the body.
    package var growth = 0

    /// Ollama's own routes whose bodies have `options` and `keep_alive`; OpenAI's routes have neither.
    package static let optionRoutes: Set<String> = ["/api/generate", "/api/chat", "/api/embed", "/api/embeddings"]

    /// Whether a route embeds: its vectors have to come from the same weights each time.
    ///
    /// - Parameter path: The route, with or without a query.
    package static func isEmbedding(_ path: String) -> Bool {
        // Bytes: searching characters would cost a few percent of a proxied request.
        var rest = path.utf8[...]
        while let slash = rest.firstIndex(of: UInt8(ascii: "/")) {
            rest = rest[slash...].dropFirst()
            if rest.starts(with: "embed".utf8) { return true }
        }
        return false
    }

    /// Applies rules to a body.
    ///
    /// - Parameters:
    ///   - path: The route, without a query.
    ///   - peek: A peek that has seen `body`: the whole body, unless it is larger than the collected part.
    ///   - providers: The names of providers; the body for one of them names the model as the provider does.
    package init(
        path: String, body: ByteBuffer, peek: ModelPeek, rules: ModelRules, providers: Set<String> = []
    ) {
        self.body = body
        guard case .model(let name) = peek.finding else { return }
        let real = rules.resolve(name)
        self.name = name
        model = real
        var remote = providers.isEmpty ? nil : RemoteProvider.split(real)
        if let named = remote?.provider, !providers.contains(named) { remote = nil }
        provider = remote?.provider
        guard !rules.isEmpty || remote != nil else { return }
        var rewrite = BodyRewrite(peek)
        let sent = remote?.model ?? real
        if sent != name { rewrite.setModel(sent) }
        if remote == nil, Self.optionRoutes.contains(path), let defaults = rules.defaults(for: real) {
            rewrite.fill(defaults, in: body)
        }
        self.body = rewrite.apply(to: body)
        growth = rewrite.growth
    }

    /// Creates a request that loads the model for this request; nil without a model, or when this request unloads it.
    ///
    /// It has this request's options, since Ollama reloads a model for other options. An embedding request loads
    /// through `/api/embed`, any other through `/api/generate`.
    package func load(path: String) -> UpstreamRequest? {
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

    /// Whether a duration has no digits except zeros.
    private static func isZero(_ json: [UInt8]) -> Bool {
        !json.contains { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
    }
}
