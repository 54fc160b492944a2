import Transport

/// The API that a provider speaks, with everything in which it differs from the others.
package struct ProviderDialect: Sendable {
    /// All dialects, in the order in which messages name them.
    package static let all: [ProviderDialect] = [.openAI, .anthropic]

    /// The word for it in the setting `kind`.
    package let name: String
    /// The base address, unless the settings have another.
    package let address: String
    /// The routes of the gateway that are forwarded to the provider as they are.
    package let routes: [String]
    /// The beginning of these routes that the base address has already.
    var prefix = ""
    /// Headers of each request, unless the client whose request is forwarded sent its own.
    var headers: [(name: String, value: String)] = []
    /// The names of the API's own headers that a forwarded request keeps, in lower case.
    package var requestHeaders: [String] = []
    /// The beginnings of the names of the API's own headers that a forwarded answer keeps, in lower case.
    package var answerHeaders: [String] = []
    /// What its models cannot do.
    package var lacks: Set<ProviderAbility> = []
    /// Whether all its models see pictures; false where each model is different.
    package var sees = false
    let keyHeader: @Sendable (_ secret: String) -> (name: String, value: String)
    /// Makes what chats, with the bodies and streams of the API.
    let chat: @Sendable (RemoteClient) -> any ChatProvider
    /// Embeds texts in one call, in their order; nil when the API cannot.
    var embed: Embed?
    /// Makes a request for the text of a recording, whose answer has a `text`; nil when the API cannot.
    var transcription: (@Sendable (Recording, _ model: String) -> UpstreamRequest)?
    /// Makes a request for the scores of texts, which ``RerankAnswer`` reads; nil when the API cannot.
    var rerank: Rerank?

    typealias Embed =
        @Sendable (RemoteClient, _ model: String, _ texts: [String], _ dimensions: Int?) async throws(UpstreamError) ->
        Embeddings
    typealias Rerank =
        @Sendable (RerankForm, _ base: String, _ model: String, _ query: String, _ texts: [String]) -> UpstreamRequest

    /// The path and query at the provider for those of a forwarded request.
    package func path(of target: String) -> String {
        target.hasPrefix(prefix + "/") ? String(target.dropFirst(prefix.count)) : target
    }
}

extension ProviderDialect: Equatable {
    package static func == (one: ProviderDialect, other: ProviderDialect) -> Bool { one.name == other.name }
}
