import GatewayAPI
package import Inference
package import KeyRoom

/// The caller of a request and its rights.
package struct Identity: Sendable, Hashable {
    /// The kinds of callers.
    package enum Holder: Sendable, Hashable {
        /// A caller without a key, on a route that needs none.
        case unknown
        /// Any caller of a gateway that needs no key: a loopback address without keys.
        case anonymous
        /// The holder of `SELENE_API_TOKEN`.
        case token
        /// The command line of this machine, by the key in the file beside the database.
        case machine
        /// The holder of a key made by `selene keys create`.
        case key(id: Int64, name: String)
    }

    /// The caller.
    package let holder: Holder
    /// The caller's rights when the request arrived.
    package let grant: KeyGrant
    /// The key at which shares are counted: that of ``keyID`` or one that made it; nil when the holder has no key.
    package let rootKey: Int64?
    /// The limits that the key's requests and tokens count for: its own, and those of the keys that made it.
    let allowances: [KeyAllowance]

    /// The browser session by which the caller came; nil for another way.
    package private(set) var session: Int64?

    /// - Parameters:
    ///   - rootKey: The holder's own key when nil.
    ///   - allowances: The limits of the grant when nil.
    package init(holder: Holder, grant: KeyGrant, rootKey: Int64? = nil, allowances: [KeyAllowance]? = nil) {
        (self.holder, self.grant, session) = (holder, grant, nil)
        guard case .key(let id, _) = holder else { (self.rootKey, self.allowances) = (nil, []); return }
        self.rootKey = rootKey ?? id
        self.allowances = allowances ?? [KeyAllowance(id, grant, members: [id])].compactMap(\.self)
    }

    /// A request without a key on a route that needs none. It has no scopes.
    package static let unknown = Identity(holder: .unknown, grant: KeyGrant(scopes: []))
    /// Any caller of a gateway that needs no key.
    package static let anonymous = Identity(holder: .anonymous, grant: .everything)
    /// The holder of `SELENE_API_TOKEN`.
    package static let token = Identity(holder: .token, grant: .everything)
    /// The command line of this machine.
    package static let machine = Identity(holder: .machine, grant: .everything)

    /// This identity, by a browser session.
    func by(_ session: Int64) -> Identity {
        var identity = self
        identity.session = session
        return identity
    }

    /// The row of the key; nil when the holder has none.
    package var keyID: Int64? {
        if case .key(let id, _) = holder { id } else { nil }
    }

    /// The name of the caller alone, such as for requests that it may repeat.
    package var callerName: String { keyID.map { "key \($0)" } ?? admissionName }

    /// The name for shares, such as places at the upstream: keys that a key made share with it. It contains nothing that a client sends.
    package var admissionName: String {
        switch holder {
        case .unknown, .anonymous: "anonymous"
        case .token: "token"
        case .machine: "machine"
        case .key(let id, _): "key \(rootKey ?? id)"
        }
    }

    /// The caller of a person's request to a model, with the key's priority and limits.
    package var caller: AdmissionCaller { caller(.interactive) }

    /// The caller of a request to a model. Background work stays that, whatever the key's priority.
    package func caller(_ priority: AdmissionPriority) -> AdmissionCaller {
        let own: AdmissionPriority =
            switch (grant.priority, priority) {
            case (.low, _): .batch
            case (.high, .interactive): .preferred
            default: priority
            }
        var caller = AdmissionCaller(admissionName, own)
        for allowance in allowances {
            guard let limit = allowance.requestsAtOnce else { continue }
            caller.ceilings.append(AdmissionCeiling(name: "key \(allowance.key)", places: limit))
        }
        return caller
    }
}

extension Identity {
    /// Whether what the caller spends is limited.
    package var hasBudget: Bool { allowances.contains { $0.budgetPerMonth != nil } }

    /// Whether the caller may administer the gateway.
    package var isAdministrator: Bool { grant.scopes.contains(.admin) }

    /// The name for logs: a key's own name, or a fixed word.
    package var name: String {
        switch holder {
        case .unknown: "none"
        case .anonymous: "anonymous"
        case .token: "token"
        case .machine: "this machine"
        case .key(_, let name): name
        }
    }
}

/// A limit of a key, for itself and all keys that it made.
package struct KeyAllowance: Sendable, Hashable {
    let key: Int64
    let requestsPerMinute: Int?
    let tokensPerDay: Int?
    let requestsAtOnce: Int?
    let budgetPerMonth: Money?
    /// The keys whose tokens count: the key, and those that it made.
    let members: [Int64]

    /// Creates the limit of a grant; nil when it has none.
    package init?(_ key: Int64, _ grant: KeyGrant, members: @autoclosure () -> [Int64]) {
        guard grant.isMetered || grant.requestsAtOnce != nil else { return nil }
        (self.key, requestsPerMinute, tokensPerDay) = (key, grant.requestsPerMinute, grant.tokensPerDay)
        (requestsAtOnce, budgetPerMonth) = (grant.requestsAtOnce, grant.budgetPerMonth)
        self.members = members()
    }
}
