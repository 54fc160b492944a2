public import ArgumentParser
import Foundation
public import GatewayAPI
package import KeyRoom

/// The flags for a key's rights and limits.
struct KeyTerms: ParsableArguments {
    @Option(
        help: """
            llm, notes:read, notes:write, push:receive, push:send, push:send:TOPIC, push:admin or admin; may be repeated. \
            Default: the first three, for a paired device the first four.
            """
    )
    var scope: [KeyScope] = []

    @Option(help: "Expiry: in 30d or 12h, on 2027-01-01 (00:00 UTC), or never (default for a new key: never).")
    var expires: KeyExpiry?

    @Option(help: "A model that the key may use; may be repeated. Default: any model.")
    var model: [String] = []

    @Option(name: .customLong("rpm"), help: "Maximum requests per minute, or none (default for a new key: none).")
    var requestsPerMinute: Ceiling?

    @Option(help: "Maximum prompt and answer tokens per UTC day, or none (default for a new key: none).")
    var tokensPerDay: Ceiling?

    @Option(
        name: .customLong("at-once"),
        help: "Maximum requests that a provider of models answers at once, or none (default for a new key: none).")
    var requestsAtOnce: Ceiling?

    @Option(
        name: .customLong("budget"),
        help: "Maximum cost per UTC month by SELENE_PRICES, such as 5 or 0.50, or none (default for a new key: none).")
    var budgetPerMonth: Budget?

    @Option(help: "Whose requests go first: low, normal or high (default for a new key: normal).")
    var priority: KeyPriority?

    func validate() throws {
        if case .at(let seconds) = expires, seconds <= Int64(Date.now.timeIntervalSince1970) {
            throw ValidationError("--expires is in the past; to disable a key now: selene keys revoke NAME")
        }
    }

    /// Whether no flag was given.
    var isEmpty: Bool {
        scope.isEmpty && expires == nil && model.isEmpty && requestsPerMinute == nil && tokensPerDay == nil
            && requestsAtOnce == nil && budgetPerMonth == nil && priority == nil
    }

    /// Applies the given flags to a grant and keeps its other values.
    func apply(to grant: inout KeyGrant) {
        if !scope.isEmpty { grant.scopes = Set(scope) }
        if !model.isEmpty { grant.models = model }
        if let expires { grant.expiresAt = expires.unixSeconds }
        if let requestsPerMinute { grant.requestsPerMinute = requestsPerMinute.number }
        if let tokensPerDay { grant.tokensPerDay = tokensPerDay.number }
        if let requestsAtOnce { grant.requestsAtOnce = requestsAtOnce.number }
        if let budgetPerMonth { grant.budgetPerMonth = budgetPerMonth.amount }
        if let priority { grant.priority = priority }
    }
}

extension KeyExpiry: ExpressibleByArgument {
    /// Parses an expiry, counted from now.
    package init?(argument: String) { self.init(argument, now: Int64(Date.now.timeIntervalSince1970)) }
}

/// A maximum, or `none`.
struct Ceiling: Sendable, Hashable, ExpressibleByArgument {
    /// The maximum, at least 1; nil for no limit.
    var number: Int?

    init?(argument: String) {
        if argument == "none" { return }
        guard let number = Int(argument), number > 0 else { return nil }
        self.number = number
    }
}

/// An amount of money, or `none`.
struct Budget: Sendable, Hashable, ExpressibleByArgument {
    /// The amount, more than 0; nil for no limit.
    var amount: Money?

    init?(argument: String) {
        if argument == "none" { return }
        guard let amount = Money(argument), amount > .zero else { return nil }
        self.amount = amount
    }
}

extension KeyPriority: ExpressibleByArgument {}

extension SigningKey: ExpressibleByArgument {
    /// Reads the line of a `.pub` file.
    package init?(argument: String) { self.init(line: argument) }
}

extension KeyScope: ExpressibleByArgument {
    /// Parses a known scope.
    public init?(argument: String) {
        self.init(rawValue: argument)
        guard isKnown else { return nil }
    }

    /// All known scopes but those of topics.
    public static var allValueStrings: [String] { all.map(\.rawValue) }
}
