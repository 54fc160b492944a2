package import Access
package import Audit
package import Database
import GatewayAPI
import HTTPTypes
import Hummingbird
import KeyRoom
package import Server

/// All routes of the web client: its files, sign-in, sessions and pairing.
package struct WebAPI: Sendable {
    /// The feature's part of the OpenAPI document, in UTF-8.
    package static let description = PackageResources.openapi_yaml

    private let site: SiteRoutes
    private let authority: AuthorityRoutes
    private let sessions: WebSessionRoutes
    private let pairings: PairingRoutes

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - host: The address that the gateway listens on.
    ///   - certificate: The path of the gateway's certificate; nil for plain HTTP.
    package init(
        keys: KeyRing, store: any SQLStore, cookie: SessionCookie, host: String, certificate: String?,
        audit: AuditTrail
    ) {
        site = SiteRoutes(.embedded, keys: keys, cookie: cookie)
        authority = AuthorityRoutes(
            keys: keys, certificate: certificate, cookie: cookie, host: host, base: Site.embedded.base)
        sessions = WebSessionRoutes(
            keys: keys, store: store, cookie: cookie, hasAuthority: authority.exists, audit: audit)
        pairings = PairingRoutes(keys: keys, store: store.pairings, cookie: cookie, host: host)
    }

    /// Adds what a gateway without pages answers: browsers that kept the pages forget them.
    package static func addEnd(to router: GatewayRouter) { SiteRoutes.addEndOfWorker(.embedded, to: router) }

    /// Adds the routes that need no key.
    package func addOpen(to router: GatewayRouter) {
        site.add(to: router)
        authority.add(to: router)
        router.add(.get, "/web/session", .open, sessions.status)
        router.add(.post, "/web/session", .open, sessions.signIn)
        router.add(.delete, "/web/session", .open, sessions.signOut)
        router.add(.post, "/web/pairings/requests", .open, pairings.request)
        router.add(.get, "/web/pairings/requests/:code", .open, pairings.state)
    }

    /// Adds the routes behind authentication.
    package func add(to router: GatewayRouter) {
        router.add(.get, "/web/sessions", .requireKey, sessions.list)
        router.add(.delete, "/web/sessions/:id", .requireKey, audit: .sessionEnd, sessions.end)
        router.add(.post, "/web/pairings", .requireKey, audit: .deviceOffer, pairings.offer)
        router.add(.get, "/web/pairings/requests/:code/details", .requireKey, pairings.details)
        router.add(
            .post, "/web/pairings/requests/:code/approve", .requireKey, audit: .deviceApprove, pairings.approve)
    }
}
