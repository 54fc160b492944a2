package import Database
package import GatewayAPI

/// The permissions of a key: scopes, models, limits and expiry.
package struct KeyGrant: Sendable, Hashable {
    /// The largest limit of requests per minute.
    package static let maxRequestsPerMinute = 1_000_000
    /// The largest limit of tokens per day.
    package static let maxTokensPerDay = 1_000_000_000_000

    /// The allowed scopes.
    package var scopes: Set<KeyScope>
    /// The allowed models; empty for any.
    package var models: [String]
    /// The expiry in seconds since 1970: the key is invalid from then on; nil for never.
    package var expiresAt: Int64?
    /// The maximum number of requests per minute; nil for no limit.
    package var requestsPerMinute: Int?
    /// The maximum number of prompt and answer tokens per UTC day; nil for no limit.
    package var tokensPerDay: Int?

    /// Creates a grant, by default for all scopes but `admin`, without limits.
    package init(
        scopes: Set<KeyScope> = KeyScope.ordinary, models: [String] = [], expiresAt: Int64? = nil,
        requestsPerMinute: Int? = nil, tokensPerDay: Int? = nil
    ) {
        self.scopes = scopes
        self.models = models
        self.expiresAt = expiresAt
        self.requestsPerMinute = requestsPerMinute
        self.tokensPerDay = tokensPerDay
    }

    /// A grant of every scope, without limits.
    package static let everything = KeyGrant(scopes: Set(KeyScope.all))

    /// Whether the grant allows a model. As in Ollama, a name without a tag means `:latest`, and case does not matter.
    package func allows(model: String) -> Bool {
        guard !models.isEmpty else { return true }
        let wanted = Self.tagged(model)
        return models.contains { Self.tagged($0) == wanted }
    }

    /// The name in place of a list of models that allows none. No model can have it.
    package static let noModel = "/"

    /// This grant, as far as the grant of the key that made this one allows it.
    package func narrowed(to maker: KeyGrant) -> KeyGrant {
        func least<Number: Comparable>(_ one: Number?, _ other: Number?) -> Number? {
            [one, other].compactMap(\.self).min()
        }
        var grant = self
        if !maker.scopes.contains(.admin) { grant.scopes = scopes.filter(maker.scopes.mayGive) }
        if !maker.models.isEmpty {
            grant.models = models.isEmpty ? maker.models : models.filter(maker.allows(model:))
            if grant.models.isEmpty { grant.models = [Self.noModel] }
        }
        grant.expiresAt = least(expiresAt, maker.expiresAt)
        grant.requestsPerMinute = least(requestsPerMinute, maker.requestsPerMinute)
        grant.tokensPerDay = least(tokensPerDay, maker.tokensPerDay)
        return grant
    }

    /// Whether the grant has expired at a time in seconds since 1970.
    package func isExpired(at unixSeconds: Int64) -> Bool { expiresAt.map { $0 <= unixSeconds } ?? false }

    /// Whether a key with this grant may give another device a key with a grant: not more than its own scopes, unless it
    /// may administer; not more models or time; and nothing when its own use is limited.
    package func mayGive(_ other: KeyGrant) -> Bool {
        let isAdmin = scopes.contains(.admin)
        guard isAdmin || (requestsPerMinute == nil && tokensPerDay == nil) else { return false }
        guard isAdmin || other.scopes.allSatisfy(scopes.mayGive) else { return false }
        guard models.isEmpty || (!other.models.isEmpty && other.models.allSatisfy(allows(model:))) else { return false }
        guard let expiresAt else { return true }
        return other.expiresAt.map { $0 <= expiresAt } ?? false
    }

    /// Checks that the grant can be stored.
    ///
    /// - Throws: ``StorageError/Code/invalid``.
    package func check() throws(StorageError) {
        guard !scopes.isEmpty else { throw StorageError(.invalid, "a key needs a scope") }
        guard scopes.allSatisfy({ Self.isWord($0.rawValue) }) else {
            throw StorageError(.invalid, "a scope is a word without spaces")
        }
        guard models.count <= 1000, models.allSatisfy(Self.isWord) else {
            throw StorageError(.invalid, "a model's name has 1 to 300 bytes and no spaces")
        }
        // Dates are stored with four-digit years, so 9999-12-31 is the last day.
        if let expiresAt, !(0..<253_402_300_800).contains(expiresAt) {
            throw StorageError(.invalid, "a key's expiry must be in the years 1970 to 9999")
        }
        if let requestsPerMinute, !(1...Self.maxRequestsPerMinute).contains(requestsPerMinute) {
            throw StorageError(.invalid, "requests per minute: expected 1 to \(Self.maxRequestsPerMinute)")
        }
        if let tokensPerDay, !(1...Self.maxTokensPerDay).contains(tokensPerDay) {
            throw StorageError(.invalid, "tokens per day: expected 1 to \(Self.maxTokensPerDay)")
        }
    }

    private static func isWord(_ text: String) -> Bool {
        (1...300).contains(text.utf8.count) && !text.contains(where: \.isWhitespace)
    }

    /// The tag follows the last slash, since a registry's port precedes it.
    private static func tagged(_ model: String) -> String {
        let start = model.lastIndex(of: "/") ?? model.startIndex
        return (model[start...].contains(":") ? model : model + ":latest").lowercased()
    }
}

/// The form in which stores keep a grant: lists as words separated by spaces.
extension KeyGrant {
    /// The values of five columns: scopes, models, expiry, requests a minute and tokens a day.
    func values(expiry: (Int64?) -> SQLValue) -> [SQLValue] {
        [
            .text(scopes.words.joined(separator: " ")), .text(models.joined(separator: " ")), expiry(expiresAt),
            .count(requestsPerMinute), .count(tokensPerDay),
        ]
    }

    /// Reads the stored form. A missing list or a limit below 1 makes an expired grant.
    init(
        storedScopes: String?, models: String?, expiresAt: Int64?, requestsPerMinute: Int64?, tokensPerDay: Int64?
    ) {
        func words(_ text: String?) -> [String] { (text ?? "").split(separator: " ").map(String.init) }
        func isLimit(_ number: Int64?) -> Bool { number.map { $0 >= 1 } ?? true }
        let isWhole = storedScopes != nil && models != nil && isLimit(requestsPerMinute) && isLimit(tokensPerDay)
        self.init(
            scopes: Set(words(storedScopes).map { KeyScope(rawValue: $0) }), models: words(models),
            expiresAt: isWhole ? expiresAt : 0, requestsPerMinute: requestsPerMinute.map { Int(clamping: $0) },
            tokensPerDay: tokensPerDay.map { Int(clamping: $0) })
    }
}
