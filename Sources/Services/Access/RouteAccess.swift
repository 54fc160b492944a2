package import GatewayAPI

/// The access that a route needs, declared where the route is registered.
package enum RouteAccess: Sendable, Hashable {
    /// No access check: the route comes before authentication.
    case open
    /// Any valid key, whatever its scopes.
    case requireKey
    /// A scope. A route that spends tokens is also closed to a key that used up its tokens for this day.
    case requireScope(KeyScope, spendsTokens: Bool = false)
}
