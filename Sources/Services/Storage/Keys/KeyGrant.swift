/// What the holder of a key may do, how much of it, and until when.
public struct KeyGrant: Sendable, Hashable {
    /// The largest number of requests in a minute that can be asked for.
    public static let maxRequestsPerMinute = 1_000_000
    /// The largest number of tokens in a day that can be asked for.
    public static let maxTokensPerDay = 1_000_000_000_000

    /// What it may be used for.
    public var scopes: Set<KeyScope>
    /// The models that it may name; empty for any.
    public var models: [String]
    /// The second since 1970 from which on it no longer holds; nil for never.
    public var expiresAt: Int64?
    /// Requests in a minute at most; nil for no limit.
    public var requestsPerMinute: Int?
    /// Tokens of prompts and answers in a UTC day at most; nil for no limit.
    public var tokensPerDay: Int?

    /// Creates a grant; what is not given is not limited.
    public init(
        scopes: Set<KeyScope> = KeyScope.ordinary, models: [String] = [], expiresAt: Int64? = nil,
        requestsPerMinute: Int? = nil, tokensPerDay: Int? = nil
    ) {
        self.scopes = scopes
        self.models = models
        self.expiresAt = expiresAt
        self.requestsPerMinute = requestsPerMinute
        self.tokensPerDay = tokensPerDay
    }

    /// Every scope, without limits.
    public static let everything = KeyGrant(scopes: Set(KeyScope.all))

    /// Whether a model may be used. A name without a tag means `:latest`, here as in Ollama.
    public func allows(model: String) -> Bool {
        guard !models.isEmpty else { return true }
        let wanted = Self.tagged(model)
        return models.contains { Self.tagged($0) == wanted }
    }

    /// Whether it no longer holds at a second since 1970.
    public func isExpired(at unixSeconds: Int64) -> Bool { expiresAt.map { $0 <= unixSeconds } ?? false }

    /// Checks that it can be stored.
    ///
    /// - Throws: ``StorageError/Code/invalid``.
    func check() throws(StorageError) {
        guard !scopes.isEmpty else { throw StorageError(.invalid, "a key needs a scope") }
        guard scopes.allSatisfy({ Self.isWord($0.rawValue) }) else {
            throw StorageError(.invalid, "a scope is a word without spaces")
        }
        guard models.count <= 1000, models.allSatisfy(Self.isWord) else {
            throw StorageError(.invalid, "a model's name has 1 to 300 bytes and no spaces")
        }
        // 9999-12-31 is the last day that four digits can write.
        if let expiresAt, !(0..<253_402_300_800).contains(expiresAt) {
            throw StorageError(.invalid, "a key expires in the years 1970 to 9999")
        }
        if let requestsPerMinute, !(1...Self.maxRequestsPerMinute).contains(requestsPerMinute) {
            throw StorageError(.invalid, "requests per minute are from 1 to \(Self.maxRequestsPerMinute)")
        }
        if let tokensPerDay, !(1...Self.maxTokensPerDay).contains(tokensPerDay) {
            throw StorageError(.invalid, "tokens per day are from 1 to \(Self.maxTokensPerDay)")
        }
    }

    private static func isWord(_ text: String) -> Bool {
        (1...300).contains(text.utf8.count) && !text.contains(where: \.isWhitespace)
    }

    /// The tag follows the last slash; a registry's port stands before it.
    private static func tagged(_ model: String) -> String {
        let start = model.lastIndex(of: "/") ?? model.startIndex
        return model[start...].contains(":") ? model : model + ":latest"
    }
}
