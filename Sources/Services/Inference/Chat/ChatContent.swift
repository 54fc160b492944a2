package import GatewayAPI

/// A part of what the user says.
package enum ChatPart: Sendable, Hashable {
    case text(String)
    case image(ChatImage)

    /// The text; nil for an image.
    package var text: String? { if case .text(let text) = self { text } else { nil } }
}

/// A picture of a conversation.
package struct ChatImage: Sendable, Hashable {
    /// Where the picture is.
    package enum Source: Sendable, Hashable {
        /// In the request: its media type, such as `image/png`, and its bytes as base64, unchecked.
        case data(type: String, base64: String)
        /// At an address, which the provider fetches.
        case address(String)
    }

    package var source: Source
    /// How closely the model looks, in OpenAI's words; nil for its default.
    package var detail: String?

    package init(_ source: Source, detail: String? = nil) { (self.source, self.detail) = (source, detail) }

    /// A picture whose type its first bytes tell, as Ollama's clients send it.
    package init(base64: String) {
        let types = [("iVBOR", "png"), ("/9j/", "jpeg"), ("R0lGOD", "gif"), ("UklGR", "webp")]
        let type = types.first { base64.hasPrefix($0.0) }?.1 ?? "png"
        self.init(.data(type: "image/\(type)", base64: base64))
    }

    /// A picture at an address or in a `data:` URL; nil for a `data:` URL that is not base64.
    package init?(url: String, detail: String? = nil) {
        guard url.hasPrefix("data:") else {
            self.init(.address(url), detail: detail)
            return
        }
        let head = url.dropFirst("data:".count).prefix { $0 != "," }
        guard head.hasSuffix(";base64"), head.utf8.count < 128 else { return nil }
        let type = head.prefix { $0 != ";" }
        let data = url.dropFirst("data:".count + head.count + 1)
        guard !type.isEmpty, !data.isEmpty else { return nil }
        self.init(.data(type: String(type), base64: String(data)), detail: detail)
    }

    /// The picture as a URL.
    package var url: String {
        switch source {
        case .data(let type, let base64): "data:\(type);base64,\(base64)"
        case .address(let address): address
        }
    }
}

/// The form of an answer.
package enum ChatFormat: Sendable, Hashable {
    /// Any JSON.
    case json
    /// JSON that matches a schema.
    case schema(ChatSchema)

    /// The schema, whose members lose their order; nil for any JSON.
    package var schema: JSONValue? { if case .schema(let schema) = self { schema.source.value } else { nil } }

    /// JSON that matches a schema of the gateway's own.
    package static func schema(_ value: JSONValue) -> ChatFormat { .schema(ChatSchema(JSONSource(value))) }
}

/// A JSON Schema for an answer.
package struct ChatSchema: Sendable, Hashable {
    /// The schema, in the order of its author.
    package var source: JSONSource
    /// A name for the model; nil for none.
    package var name: String?
    /// The purpose, for the model; nil for none.
    package var summary: String?
    /// Whether the answer always matches; nil for the provider's default.
    package var isStrict: Bool?

    package init(_ source: JSONSource, name: String? = nil, summary: String? = nil, isStrict: Bool? = nil) {
        self.source = source
        (self.name, self.summary, self.isStrict) = (name, summary, isStrict)
    }
}

/// How the next token is chosen, besides the temperature. Nil leaves a choice to the model.
package struct ChatSampling: Sendable, Hashable {
    /// The share of the likeliest tokens that count, 0 to 1.
    package var topP: Double?
    /// The number of the likeliest tokens that count.
    package var topK: Int?
    /// The least probability, as a share of the likeliest token's.
    package var minP: Double?
    package var seed: Int?
    package var frequencyPenalty: Double?
    package var presencePenalty: Double?
    /// Texts at which the answer ends.
    package var stop: [String] = []

    package init() {}
}
