package import Transport

/// A service with models besides Ollama: its name, address, key and abilities.
package struct ProviderConfiguration: Sendable, Equatable {
    /// The name in `provider/model`; see ``isName(_:)``.
    package var name: String
    package var dialect: ProviderDialect
    /// The address with its prefix, such as `https://api.openai.com/v1`, and timeouts.
    package var upstream: UpstreamConfiguration
    package var key: ProviderKey
    /// Whether the user declared the provider as one on machines of theirs.
    package var isLocal: Bool
    /// Whether its models can call tools. Anthropic's API says so itself.
    package var hasTools = true
    /// Whether its models can think. Anthropic's API says so itself.
    package var canThink = false
    /// The largest context of its models in tokens; nil when unknown. Anthropic's API says so itself.
    package var contextTokens: Int?
    /// The maximum number of concurrent requests.
    package var maxInFlight = 8
    /// The maximum number of waiting requests.
    package var maxWaiting = 64

    /// Creates a configuration with default abilities and limits.
    package init(
        name: String, dialect: ProviderDialect, upstream: UpstreamConfiguration, key: ProviderKey, isLocal: Bool = false
    ) {
        self.name = name
        self.dialect = dialect
        self.upstream = upstream
        self.key = key
        self.isLocal = isLocal
    }

    /// Whether a text can name a provider: 1 to 32 lower-case ASCII letters, digits, `-` and `_`, but not `ollama`.
    package static func isName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count) && text != "ollama"
            && text.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
                    || $0 == UInt8(ascii: "_")
            }
    }

    /// The headers that a request needs at the provider, with its key.
    ///
    /// - Parameter given: Whether a forwarded request has a header already, whose name is in lower case.
    package func headers(unless given: (String) -> Bool = { _ in false }) -> [(name: String, value: String)] {
        dialect.headers.filter { !given($0.name) } + (key.secret.map { [dialect.keyHeader($0)] } ?? [])
    }

    /// A call of the provider, as a trace describes it.
    package var call: OutgoingCall { OutgoingCall(provider: dialect.name, upstream) }

    /// Why no request can be sent: the configured key cannot be used.
    package var keyError: UpstreamError? {
        key.problem.map { UpstreamError(.failed, "provider \"\(name)\" has no key: \($0)") }
    }

    /// Whether the host is an address of this machine or of a private network, or a name that only such a network
    /// resolves.
    package var isPrivateHost: Bool { upstream.isPrivateHost }

    /// Whether texts for a model stay on machines of the user. A server of the user's may be an Ollama, whose cloud models run
    /// elsewhere.
    package func keeps(_ model: String) -> Bool { isLocal && isPrivateHost && !ModelPlace.isCloudName(model) }
}
