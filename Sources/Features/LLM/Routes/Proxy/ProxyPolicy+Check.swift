import Access
import HTTPTypes
import Server

extension ProxyPolicy {
    /// Refuses who may not use a route, and counts the request.
    ///
    /// - Parameter path: The path without its query.
    /// - Throws: ``GatewayError`` with 404 or 405, ``AccessRefusal``.
    static func check(_ kind: Kind, path: String, for identity: Identity, keys: KeyRing) throws {
        if let access = access(to: kind) { return try keys.admit(identity, to: access) }
        guard let route = route(of: path) else { throw GatewayError(.notFound, .notFound, "there is no \(path)") }
        let allowed = route.methods.map(\.rawValue).joined(separator: ", ")
        throw GatewayError(
            .methodNotAllowed, .methodNotAllowed, "\(path) answers \(allowed) only", headers: [.allow: allowed])
    }
}
