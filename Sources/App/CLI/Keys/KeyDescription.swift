import GatewayAPI
import KeyRoom

/// A key as commands show it, as text and as JSON.
struct KeyDescription: Encodable {
    /// A key's usage on one day (UTC).
    struct Day: Encodable {
        var day: String
        var requests: Int
        var refused: Int
        var prompt_tokens: Int
        var completion_tokens: Int
        /// By the price list of the time; nil when nothing was counted in money.
        var cost: Double?
        fileprivate let money: Money

        private enum CodingKeys: String, CodingKey {
            case day, requests, refused, prompt_tokens, completion_tokens, cost
        }

        init(_ day: UTCDay, _ usage: KeyUsage) {
            self.day = day.text
            requests = usage.requests
            refused = usage.refused
            prompt_tokens = usage.promptTokens
            completion_tokens = usage.completionTokens
            money = usage.cost
            cost = usage.cost > .zero ? usage.cost.units : nil
        }
    }

    var id: Int64
    var name: String
    var prefix: String
    /// How the client hands it over: `header`, `path`, `signature`, or `session` of a paired device.
    var kind: String
    var scopes: [String]
    var models: [String]
    var expires_at: String?
    var requests_per_minute: Int?
    var tokens_per_day: Int?
    var requests_at_once: Int?
    var budget_per_month: Double?
    var priority: String
    var created_at: String
    var last_used_at: String?
    var revoked_at: String?
    /// The key that made this one, by pairing or in the console.
    var parent: String?
    /// Live keys that this one made, and those made.
    var children: [String]
    /// Newest first; days without a request are left out.
    var usage: [Day]
    /// The secret; nil unless the key was just created.
    var key: String?

    private let isExpired: Bool
    private let budget: Money?

    private enum CodingKeys: String, CodingKey {
        case id, name, prefix, kind, scopes, models, expires_at, requests_per_minute, tokens_per_day
        case requests_at_once, budget_per_month, priority
        case created_at, last_used_at, revoked_at, parent, children, usage, key
    }

    /// Describes a key.
    ///
    /// - Parameters:
    ///   - all: All keys.
    ///   - usage: The usage of all keys, newest first.
    ///   - now: Seconds since 1970.
    init(
        _ record: KeyRecord, in all: [KeyRecord] = [], usage: [(place: KeyDay, usage: KeyUsage)] = [], now: Int64,
        key: String? = nil
    ) {
        let families = KeyFamilies(all)
        let record = all.isEmpty ? record : families.effective(record)
        parent = record.parent.map { id in all.first { $0.id == id }?.name ?? "key \(id)" }
        children = families.descendants(of: record.id).filter { $0.revokedAt == nil }.map(\.name)
        id = record.id
        name = record.name
        prefix = record.prefix
        kind = record.kind.rawValue
        scopes = record.grant.scopes.words
        models = record.grant.models
        expires_at = record.grant.expiresAt.map(Timestamp.text)
        requests_per_minute = record.grant.requestsPerMinute
        tokens_per_day = record.grant.tokensPerDay
        requests_at_once = record.grant.requestsAtOnce
        budget = record.grant.budgetPerMonth
        budget_per_month = budget?.units
        priority = record.grant.priority.rawValue
        created_at = record.createdAt
        last_used_at = record.lastUsedAt
        revoked_at = record.revokedAt
        self.usage = usage.filter { $0.place.key == record.id }.map { Day($0.place.day, $0.usage) }
        self.key = key
        isExpired = record.grant.isExpired(at: now)
    }

    /// One line for a list, with today's usage.
    var line: String {
        var parts = [
            String(id).padded(to: 4), name.padded(to: 20), (prefix + "…").padded(to: 12), "made \(created_at)", state,
            scopes.joined(separator: " "),
        ]
        if kind != KeyKind.header.rawValue { parts.append(handing) }
        if !models.isEmpty { parts.append("models \(models.joined(separator: " "))") }
        if let requests_per_minute { parts.append("\(requests_per_minute)/min") }
        if let tokens_per_day { parts.append("\(tokens_per_day) tokens/day") }
        if let requests_at_once { parts.append("\(requests_at_once) at once") }
        if let budget { parts.append("\(budget.text)/month") }
        if priority != KeyPriority.normal.rawValue { parts.append("\(priority) priority") }
        if let parent { parts.append("made by \(parent)") }
        if !children.isEmpty { parts.append("made \(children.joined(separator: ", "))") }
        if let today = usage.first {
            let tokens = today.prompt_tokens.addingWithoutOverflow(today.completion_tokens)
            parts.append("today \(today.requests) requests, \(tokens) tokens" + Self.costing(today.money))
        }
        return parts.joined(separator: "  ")
    }

    /// All fields, one per line.
    var paragraph: String {
        let limits = [
            requests_per_minute.map { "\($0) requests a minute" }, tokens_per_day.map { "\($0) tokens a day" },
            requests_at_once.map { "\($0) request\($0 == 1 ? "" : "s") at once" }, budget.map { "\($0.text) a month" },
        ].compactMap(\.self)
        var rows = [
            ("key", "\(id), \(name), \(prefix)…"), ("sent", handing), ("made", created_at), ("state", state),
            ("scopes", scopes.joined(separator: ", ")),
            ("models", models.isEmpty ? "any" : models.joined(separator: ", ")), ("expires", expires_at ?? "never"),
            ("limits", limits.isEmpty ? "none" : limits.joined(separator: ", ")),
            ("priority", priority),
        ]
        if let parent { rows.append(("made by", parent)) }
        if !children.isEmpty { rows.append(("made", children.joined(separator: ", "))) }
        rows += usage.map { day in
            (
                day.day,
                "\(day.requests) requests, \(day.refused) refused, \(day.prompt_tokens) prompt and "
                    + "\(day.completion_tokens) completion tokens" + Self.costing(day.money)
            )
        }
        return rows.map { $0.0.padded(to: 11) + $0.1 }.joined(separator: "\n")
    }

    private static func costing(_ money: Money) -> String { money > .zero ? ", cost \(money.text)" : "" }

    private var handing: String {
        switch KeyKind(rawValue: kind) {
        case .path: "in a header or in front of a path"
        case .signature: "signs, as Ollama's client"
        case .session: "paired in a browser"
        case .header, nil: "in a header"
        }
    }

    private var state: String {
        if let revoked_at { return "revoked \(revoked_at)" }
        if isExpired, let expires_at { return "expired \(expires_at)" }
        return "used \(last_used_at ?? "never")"
    }
}
