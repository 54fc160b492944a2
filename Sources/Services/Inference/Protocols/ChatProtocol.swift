package import GatewayAPI

/// A protocol in which a client asks a model: Ollama's, two of OpenAI's and Anthropic's.
///
/// Nothing here does I/O: a request is read to the neutral form, ``ModelChatRequest``, and the events of an answer are
/// written in the protocol's form.
package enum ChatProtocol: String, Sendable, Hashable, CaseIterable {
    case ollamaChat = "/api/chat"
    case ollamaGenerate = "/api/generate"
    case completions = "/v1/chat/completions"
    case responses = "/v1/responses"
    case messages = "/v1/messages"

    /// The protocol of a route; nil when the route is not one of these.
    package init?(path: String) { self.init(rawValue: path) }

    /// The route.
    package var path: String { rawValue }

    /// Reads a request.
    ///
    /// - Throws: ``RequestFault`` for a field that is wrong, or whose meaning the neutral form cannot keep.
    package func read(_ document: JSONDocument) throws(RequestFault) -> ClientRequest {
        let body = Fields(document.root)
        guard document.root.isObject else { throw RequestFault("", "expected an object of JSON") }
        guard document.isUnicode else { throw RequestFault("", "a text has half of a surrogate pair, or is not UTF-8") }
        return switch self {
        case .ollamaChat: try OllamaRequest.chat(body)
        case .ollamaGenerate: try OllamaRequest.generate(body)
        case .completions: try CompletionsRequest.read(body)
        case .responses: try ResponsesRequest.read(body)
        case .messages: try MessagesRequest.read(body)
        }
    }

    /// The writer of the answer to a request.
    package func writer(_ head: AnswerHead, for request: ClientRequest) -> any AnswerWriter {
        switch self {
        case .ollamaChat: OllamaAnswer(head, isChat: true)
        case .ollamaGenerate: OllamaAnswer(head, isChat: false)
        case .completions: CompletionsAnswer(head, givesUsage: request.givesUsage)
        case .responses: ResponsesAnswer(head, callsInParallel: request.request.callsInParallel ?? true)
        case .messages: MessagesAnswer(head)
        }
    }

    /// The name of the field that asks for something that not every provider has.
    package func field(of ability: ProviderAbility) -> String {
        switch (ability, self) {
        case (.probabilities, .responses): "include"
        case (.probabilities, _): "logprobs"
        case (.anyJSON, .ollamaChat), (.anyJSON, .ollamaGenerate): "format"
        case (.anyJSON, .responses): "text.format"
        case (.anyJSON, .completions), (.anyJSON, .messages): "response_format"
        }
    }
}

/// A request of a client in the neutral form.
package struct ClientRequest: Sendable, Hashable {
    /// What the model is asked. Its model is the name that the client wrote.
    package var request: ModelChatRequest
    /// Whether the answer comes as a stream.
    package var streams: Bool
    /// Whether a stream ends with counts, where the client chooses that.
    package var givesUsage = false
    /// Why there is nothing to ask, in Ollama's words: the client only wants the model loaded or unloaded. Nil usually.
    package var onlyLoads: String?

    package init(_ request: ModelChatRequest, streams: Bool) { (self.request, self.streams) = (request, streams) }
}

/// Why a request cannot be translated.
package struct RequestFault: Error, Sendable, Hashable {
    /// The path of the field, such as `messages[2].content`; empty for the whole body.
    package let field: String
    /// What is wrong, and what to do.
    package let reason: String

    package init(_ field: String, _ reason: String) { (self.field, self.reason) = (field, reason) }
}

/// What some providers cannot do, without which an answer would be wrong.
package enum ProviderAbility: String, Sendable, Hashable, CaseIterable {
    case probabilities = "probabilities of tokens"
    case anyJSON = "JSON without a schema"
}

extension ModelChatRequest {
    /// What a provider needs to be able to do for this request.
    package var needs: Set<ProviderAbility> {
        var needs: Set<ProviderAbility> = []
        if givesProbabilities { needs.insert(.probabilities) }
        if format == .json { needs.insert(.anyJSON) }
        return needs
    }
}
