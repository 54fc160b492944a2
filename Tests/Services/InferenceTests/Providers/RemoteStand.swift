import FakeProviders
import GatewayAPI
import TestSupport

@testable import Inference
@testable import Transport

/// A synthetic provider, and clients for both of its APIs.
struct RemoteStand {
    static let key = "sk-fake-0123456789abcdef"
    static let tools = [
        tool("find_text", ["text": "string"]), tool("read_pages", ["from": "integer", "to": "integer"]),
    ]

    let fake: FakeProvider
    let openAI: OpenAIChat
    let anthropic: AnthropicChat
    /// The pauses before other attempts, which take no time here.
    let pauses: Collected<Duration>

    var both: [any ChatProvider] { [openAI, anthropic] }

    /// Runs a closure with a stand.
    static func with(
        _ options: FakeProvider.Options = .init(), key: ProviderKey = .value(key), places: Int = 4,
        _ body: (RemoteStand) async throws -> Void
    ) async throws {
        try await FakeProvider.withServer(options) { fake in
            let pauses = Collected<Duration>()
            func client(_ dialect: ProviderDialect, _ path: String) throws -> RemoteClient {
                var configuration = ProviderConfiguration(
                    name: dialect.name, dialect: dialect,
                    upstream: UpstreamConfiguration(
                        baseURL: fake.baseURL + path, peer: "provider \"\(dialect.name)\""),
                    key: key)
                configuration.maxInFlight = places
                configuration.canThink = true
                return try RemoteClient(configuration) { pauses.add($0) }
            }
            try await body(
                RemoteStand(
                    fake: fake, openAI: OpenAIChat(client: try client(.openAI, "/v1")),
                    anthropic: AnthropicChat(client: try client(.anthropic, "")), pauses: pauses))
        }
    }

    /// The body of the last request.
    func lastBody() -> JSONValue? {
        (fake.lastRequest?.body).flatMap { try? JSONDocument(parsing: Array($0.utf8)).value }
    }

    private static func tool(_ name: String, _ members: [String: String]) -> ChatTool {
        ChatTool(
            name: name, summary: "A tool.",
            parameters: .object([
                "type": .string("object"),
                "properties": .object(members.mapValues { .object(["type": .string($0)]) }),
            ]))
    }
}
