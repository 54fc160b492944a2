package import Storage

/// What a route wants of whoever uses it, declared where the route is registered.
package enum RouteAccess: Sendable, Hashable {
    /// Nothing: the route stands before authentication.
    case open
    /// A scope. A route that spends tokens is closed, too, for a key whose tokens of the day are spent.
    case requireScope(KeyScope, spendsTokens: Bool = false)
}
