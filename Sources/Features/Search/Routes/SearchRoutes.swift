import Access
import GatewayAPI
import HTTPTypes
package import Server

/// The routes that find notes and memories, including their older names.
package struct SearchRoutes: Sendable {
    /// The feature's part of the OpenAPI document, in UTF-8.
    package static let description = PackageResources.openapi_yaml

    private let retrieval: RetrievalService
    private let memories: MemoryRetrieval
    private let metrics: GatewayMetrics
    private let bodyLimit: Int

    package init(retrieval: RetrievalService, memories: MemoryRetrieval, metrics: GatewayMetrics, bodyLimit: Int) {
        self.retrieval = retrieval
        self.memories = memories
        self.metrics = metrics
        self.bodyLimit = bodyLimit
    }

    /// Adds the routes. Call it after the authentication middleware is added.
    package func add(to router: GatewayRouter) {
        let retrieve = RetrieveRoute(search: retrieval.search, metrics: metrics, bodyLimit: bodyLimit)
        let related = RelatedNotesRoute(search: retrieval.search, bodyLimit: bodyLimit)
        let memory = MemoryRetrievalRoute(retrieval: memories, bodyLimit: bodyLimit)
        let nearest = RelatedRoute(search: retrieval.search)
        router.add(.get, "/api/notes/:id/related", .requireScope(.notesRead), nearest.handle)
        router.add(.post, "/api/notes/retrieve", .requireScope(.notesRead), retrieve.handle)
        router.add(.post, "/api/memories/retrieve", .requireScope(.notesRead), memory.handle)
        // Older names.
        router.add(.post, "/api/search", .requireScope(.notesRead), retrieve.handle)
        router.add(.post, "/api/related-notes", .requireScope(.notesRead), related.handle)
        let spaces = SpaceRoutes(retrieval: retrieval, bodyLimit: bodyLimit)
        router.add(.get, "/api/admin/spaces", .requireScope(.admin), spaces.list)
        router.add(
            .post, "/api/admin/spaces/rollback", .requireScope(.admin), takesFields: false, audit: .spaceRollback,
            spaces.rollBack)
        router.add(.post, "/api/admin/spaces/:id/switch", .requireScope(.admin), audit: .spaceSwitch, spaces.activate)
        router.add(.delete, "/api/admin/spaces/:id", .requireScope(.admin), audit: .spaceDrop, spaces.drop)
        router.add(.get, "/api/admin/index", .requireScope(.admin), spaces.index)
    }
}
