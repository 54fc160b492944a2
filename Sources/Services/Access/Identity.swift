package import Storage

/// Who asks, and what they may do.
package struct Identity: Sendable, Hashable {
    /// Who that is.
    package enum Holder: Sendable, Hashable {
        /// Nobody was asked to show a key, on a route that needs none.
        case unknown
        /// Whoever reaches a gateway that needs no key: a loopback address without any.
        case anonymous
        /// The holder of `SELENE_API_TOKEN`.
        case token
        /// The holder of a key made by `selene keys create`.
        case key(id: Int64, name: String)
    }

    /// Who that is.
    package let holder: Holder
    /// What they may do, as it was when the request came.
    package let grant: KeyGrant

    /// A request that showed no key and was not asked for one; it may do nothing that wants a scope.
    package static let unknown = Identity(holder: .unknown, grant: KeyGrant(scopes: []))
    /// Whoever reaches a gateway that needs no key.
    package static let anonymous = Identity(holder: .anonymous, grant: .everything)
    /// The holder of `SELENE_API_TOKEN`.
    package static let token = Identity(holder: .token, grant: .everything)

    /// The row of the key; nil when the holder has none.
    package var keyID: Int64? {
        if case .key(let id, _) = holder { id } else { nil }
    }

    /// The name under which places at the upstream are shared out; nothing that a client sends is in it.
    package var admissionName: String {
        switch holder {
        case .unknown, .anonymous: "anonymous"
        case .token: "token"
        case .key(let id, _): "key \(id)"
        }
    }
}

extension Identity {
    /// The name for logs: a key's own, or what stands for one.
    package var name: String {
        switch holder {
        case .unknown: "none"
        case .anonymous: "anonymous"
        case .token: "token"
        case .key(_, let name): name
        }
    }
}
