package import Storage

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
        /// The holder of a key made by `selene keys create`.
        case key(id: Int64, name: String)
    }

    /// The caller.
    package let holder: Holder
    /// The caller's rights when the request arrived.
    package let grant: KeyGrant

    /// A request without a key on a route that needs none. It has no scopes.
    package static let unknown = Identity(holder: .unknown, grant: KeyGrant(scopes: []))
    /// Any caller of a gateway that needs no key.
    package static let anonymous = Identity(holder: .anonymous, grant: .everything)
    /// The holder of `SELENE_API_TOKEN`.
    package static let token = Identity(holder: .token, grant: .everything)

    /// The row of the key; nil when the holder has none.
    package var keyID: Int64? {
        if case .key(let id, _) = holder { id } else { nil }
    }

    /// The name for sharing places at the upstream. It contains nothing that a client sends.
    package var admissionName: String {
        switch holder {
        case .unknown, .anonymous: "anonymous"
        case .token: "token"
        case .key(let id, _): "key \(id)"
        }
    }
}

extension Identity {
    /// The name for logs: a key's own name, or a fixed word.
    package var name: String {
        switch holder {
        case .unknown: "none"
        case .anonymous: "anonymous"
        case .token: "token"
        case .key(_, let name): name
        }
    }
}
