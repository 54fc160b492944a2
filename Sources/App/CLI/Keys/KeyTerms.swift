public import ArgumentParser
import Foundation
public import Storage

/// The flags that say what a key may do.
struct KeyTerms: ParsableArguments {
    @Option(help: "llm, notes:read, notes:write or admin; may be repeated. Default: all but admin.")
    var scope: [KeyScope] = []

    @Option(help: "When it expires: after 30d or 12h, at the start of 2027-01-01 (UTC), or never.")
    var expires: Expiry?

    @Option(help: "A model that it may use; may be repeated. Default: any model.")
    var model: [String] = []

    @Option(name: .customLong("rpm"), help: "Requests per minute at most, or none for no limit.")
    var requestsPerMinute: Ceiling?

    @Option(help: "Tokens of prompts and answers per UTC day at most, or none for no limit.")
    var tokensPerDay: Ceiling?

    func validate() throws {
        if case .at(let seconds) = expires, seconds <= Int64(Date.now.timeIntervalSince1970) {
            throw ValidationError("--expires lies in the past; to end a key at once: selene keys revoke NAME")
        }
    }

    /// Whether nothing was given.
    var isEmpty: Bool {
        scope.isEmpty && expires == nil && model.isEmpty && requestsPerMinute == nil && tokensPerDay == nil
    }

    /// Puts what was given into a grant and leaves the rest as it is.
    func apply(to grant: inout KeyGrant) {
        if !scope.isEmpty { grant.scopes = Set(scope) }
        if !model.isEmpty { grant.models = model }
        switch expires {
        case .never: grant.expiresAt = nil
        case .at(let seconds): grant.expiresAt = seconds
        case nil: break
        }
        if let requestsPerMinute { grant.requestsPerMinute = requestsPerMinute.number }
        if let tokensPerDay { grant.tokensPerDay = tokensPerDay.number }
    }
}

/// When a key expires.
enum Expiry: Sendable, Hashable, ExpressibleByArgument {
    case never
    /// Seconds since 1970.
    case at(Int64)

    init?(argument: String) { self.init(argument, now: Int64(Date.now.timeIntervalSince1970)) }

    /// Reads `never`, a number of days or hours from now (`30d`, `12h`), or a date.
    init?(_ text: String, now: Int64) {
        if text == "never" {
            self = .never
        } else if let seconds = Timestamp.unixSeconds(text) {
            self = .at(seconds)
        } else {
            let units: [Character: Int64] = ["h": 3600, "d": UTCDay.seconds]
            guard let unit = text.last.flatMap({ units[$0] }), let count = UInt16(text.dropLast()), count > 0 else {
                return nil
            }
            self = .at(now + Int64(count) * unit)
        }
    }
}

/// A number that may not be exceeded, or `none`.
struct Ceiling: Sendable, Hashable, ExpressibleByArgument {
    /// Nil for no limit.
    var number: Int?

    init?(argument: String) {
        if argument == "none" { return }
        guard let number = Int(argument), number > 0 else { return nil }
        self.number = number
    }
}

extension KeyScope: ExpressibleByArgument {
    /// Takes the scopes that there are.
    public init?(argument: String) {
        self.init(rawValue: argument)
        guard Self.all.contains(self) else { return nil }
    }

    /// The scopes that there are.
    public static var allValueStrings: [String] { all.map(\.rawValue) }
}
