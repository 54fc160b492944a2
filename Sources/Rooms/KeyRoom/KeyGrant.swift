package import Database
package import GatewayAPI

/// The permissions of a key: scopes, models, limits and expiry.
package struct KeyGrant: Sendable, Hashable {
    /// The largest limit of requests per minute.
    package static let maxRequestsPerMinute = 1_000_000
    /// The largest limit of tokens per day.
    package static let maxTokensPerDay = 1_000_000_000_000
    /// The largest limit of requests that a provider answers at once.
    package static let maxRequestsAtOnce = 10_000

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
    /// The maximum number of requests that a provider of models answers at once; nil for no limit. More of them wait.
    package var requestsAtOnce: Int?
    /// What the key may spend in a UTC month, by the price list; nil for no limit.
    package var budgetPerMonth: Money?
    /// Whose requests go first.
    package var priority: KeyPriority

    /// Creates a grant, by default for all scopes but `admin`, without limits.
    package init(
        scopes: Set<KeyScope> = KeyScope.ordinary, models: [String] = [], expiresAt: Int64? = nil,
        requestsPerMinute: Int? = nil, tokensPerDay: Int? = nil, requestsAtOnce: Int? = nil,
        budgetPerMonth: Money? = nil, priority: KeyPriority = .normal
    ) {
        self.scopes = scopes
        self.models = models
        self.expiresAt = expiresAt
        self.requestsPerMinute = requestsPerMinute
        self.tokensPerDay = tokensPerDay
        self.requestsAtOnce = requestsAtOnce
        self.budgetPerMonth = budgetPerMonth
        self.priority = priority
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
        grant.requestsAtOnce = least(requestsAtOnce, maker.requestsAtOnce)
        grant.budgetPerMonth = least(budgetPerMonth, maker.budgetPerMonth)
        if !maker.scopes.contains(.admin) { grant.priority = min(priority, maker.priority) }
        return grant
    }

    /// Whether the grant has expired at a time in seconds since 1970.
    package func isExpired(at unixSeconds: Int64) -> Bool { expiresAt.map { $0 <= unixSeconds } ?? false }

    /// Whether a key with this grant may give another device a key with a grant: not more than its own scopes, unless it
    /// may administer; not more models or time, nor a higher priority; and nothing when its own use is limited.
    package func mayGive(_ other: KeyGrant) -> Bool {
        let isAdmin = scopes.contains(.admin)
        guard isAdmin || !isMetered, isAdmin || other.priority <= priority else { return false }
        guard isAdmin || other.scopes.allSatisfy(scopes.mayGive) else { return false }
        guard models.isEmpty || (!other.models.isEmpty && other.models.allSatisfy(allows(model:))) else { return false }
        guard let expiresAt else { return true }
        return other.expiresAt.map { $0 <= expiresAt } ?? false
    }

    /// Whether requests, tokens or money of the key are limited.
    package var isMetered: Bool { requestsPerMinute != nil || tokensPerDay != nil || budgetPerMonth != nil }

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
        if let requestsAtOnce, !(1...Self.maxRequestsAtOnce).contains(requestsAtOnce) {
            throw StorageError(.invalid, "requests at once: expected 1 to \(Self.maxRequestsAtOnce)")
        }
        if let budgetPerMonth, budgetPerMonth == .zero {
            throw StorageError(.invalid, "budget per month: expected more than 0")
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
    /// The columns of a grant.
    ///
    /// - Parameter expiry: The name of that of the expiry, since tables differ.
    static func columns(expiry: String = "expires_at") -> [String] {
        [
            "scopes", "models", expiry, "requests_per_minute", "tokens_per_day", "requests_at_once", "budget_per_month",
            "priority",
        ]
    }

    /// `column = $1, …` for the columns, numbered from 1.
    static func assignments(expiry: String = "expires_at") -> String {
        columns(expiry: expiry).enumerated().map { "\($1) = $\($0 + 1)" }.joined(separator: ", ")
    }

    /// The values of ``columns(expiry:)``.
    func values(expiry: (Int64?) -> SQLValue) -> [SQLValue] {
        [
            .text(scopes.words.joined(separator: " ")), .text(models.joined(separator: " ")), expiry(expiresAt),
            .count(requestsPerMinute), .count(tokensPerDay), .count(requestsAtOnce),
            .integer(budgetPerMonth?.billionths), .text(priority == .normal ? nil : priority.rawValue),
        ]
    }

    /// Reads the stored form. A missing list, a limit below 1 or of another type, or an unknown priority makes an expired grant.
    ///
    /// - Parameters:
    ///   - first: Where ``columns(expiry:)`` begin.
    ///   - expiry: Reads the expiry; nil when it cannot be read.
    init(_ row: SQLRow, from first: Int, expiry: (Int) -> Int64?) {
        func words(_ text: String?) -> [String] { (text ?? "").split(separator: " ").map(String.init) }
        var isWhole = true
        func limit(_ column: Int) -> Int64? {
            guard !row.isNull(first + column) else { return nil }
            let number = row.integer(first + column) ?? 0
            if number < 1 { isWhole = false }
            return number
        }
        let (scopes, models) = (row.text(first), row.text(first + 1))
        let (perMinute, perDay, atOnce, budget) = (limit(3), limit(4), limit(5), limit(6))
        let priority =
            row.isNull(first + 7) ? .normal : row.text(first + 7).flatMap { KeyPriority(rawValue: $0) }
        isWhole = isWhole && scopes != nil && models != nil && priority != nil
        let end = row.isNull(first + 2) ? nil : expiry(first + 2) ?? 0
        self.init(
            scopes: Set(words(scopes).map { KeyScope(rawValue: $0) }), models: words(models),
            expiresAt: isWhole ? end : 0, requestsPerMinute: perMinute.map { Int(clamping: $0) },
            tokensPerDay: perDay.map { Int(clamping: $0) }, requestsAtOnce: atOnce.map { Int(clamping: $0) },
            budgetPerMonth: budget.map { Money(billionths: $0) }, priority: priority ?? .low)
    }
}
