import ChatRoom
import Access
import GatewayAPI
import HTTPTypes
package import Server
package import Storage

/// All routes for chat sessions, their messages, and memories.
package struct ConversationsAPI: Sendable {
    /// The feature's part of the OpenAPI document, in UTF-8.
    package static let description = PackageResources.openapi_yaml

    private let store: any GatewayStore
    private let remembers: Bool
    private let watch: SessionWatch
    private let bodyLimit: Int

    /// - Parameters:
    ///   - store: The sessions, their messages, and the memories.
    ///   - remembers: Whether chats find memories and use them.
    ///   - watch: Learns which sessions are opened and deleted.
    package init(store: any GatewayStore, remembers: Bool, watch: SessionWatch, bodyLimit: Int) {
        self.store = store
        self.remembers = remembers
        self.watch = watch
        self.bodyLimit = bodyLimit
    }

    /// Adds the routes. The router must require keys already.
    package func add(to router: GatewayRouter) {
        addSessions(to: router)
        addMemories(to: router)
    }

    private func addSessions(to router: GatewayRouter) {
        let sessions = SessionRoutes(store: store.sessions, watch: watch, bodyLimit: bodyLimit)
        let messages = MessageRoutes(store: store.messages, watch: watch, bodyLimit: bodyLimit)
        router.add(.get, "/api/sessions", .requireScope(.notesRead), sessions.list)
        router.add(.get, "/api/sessions/:id", .requireScope(.notesRead), sessions.one)
        router.add(.put, "/api/sessions/:id", .requireScope(.notesWrite), sessions.save)
        router.add(.delete, "/api/sessions/:id", .requireScope(.notesWrite), sessions.delete)
        router.add(.patch, "/api/sessions/:id/pin", .requireScope(.notesWrite), sessions.pin)
        router.add(.get, "/api/sessions/:id/messages", .requireScope(.notesRead), messages.list)
        router.add(.post, "/api/sessions/:id/messages", .requireScope(.notesWrite), messages.add)
        router.add(.get, "/api/messages/recent", .requireScope(.notesRead), messages.recent)
    }

    private func addMemories(to router: GatewayRouter) {
        let routes = MemoryRoutes(store: store.memories, isOn: remembers, bodyLimit: bodyLimit)
        router.add(.get, "/api/memories", .requireScope(.notesRead), routes.list)
        router.add(.post, "/api/memories", .requireScope(.notesWrite), routes.create)
        router.add(.put, "/api/memories/:id", .requireScope(.notesWrite), routes.update)
        router.add(.patch, "/api/memories/:id", .requireScope(.notesWrite), routes.update)
        router.add(.delete, "/api/memories/:id", .requireScope(.notesWrite), routes.delete)
        router.add(.get, "/api/memories/:id/why", .requireScope(.notesRead), routes.why)
        router.add(.post, "/api/memories/:id/undo", .requireScope(.notesWrite), takesFields: false, routes.undo)
        router.add(.post, "/api/memories/:id/confirm", .requireScope(.notesWrite), takesFields: false, routes.confirm)
        router.add(.post, "/api/memories/touch", .requireScope(.notesWrite), routes.touch)
    }
}

/// What other features learn of sessions. Each closure returns at once.
package struct SessionWatch: Sendable {
    /// A client has read a session, or the first page of its messages, as one does that shows it.
    let opened: @Sendable (_ session: String, _ context: GatewayRequestContext) -> Void
    let deleted: @Sendable (_ session: String) -> Void

    package init(
        opened: @escaping @Sendable (_ session: String, _ context: GatewayRequestContext) -> Void,
        deleted: @escaping @Sendable (_ session: String) -> Void
    ) {
        (self.opened, self.deleted) = (opened, deleted)
    }
}
