import HTTPTypes
import Hummingbird
import Storage

/// The routes over the notes database, but for retrieval: what the TypeScript server had, and changes of notes.
struct NotesAPI: Sendable {
    let database: GatewayDatabase
    let retrieval: RetrievalService
    /// The route that an older name leads to, too.
    let retrieve: RetrieveRoute
    let memories: MemoryRetrieval
    let export: NoteExport?
    let bodyLimit: Int

    /// Adds the routes; keys have to be required before.
    func add(to router: GatewayRouter) {
        addNotes(to: router)
        addThreads(to: router)
        addSessions(to: router)
        addMemories(to: router)
        let briefing = BriefingRoutes(database: database)
        router.add(.get, "/api/briefing/associations", .requireScope(.notesRead), briefing.associations)
        let devices = DeviceRoutes(database: database, bodyLimit: bodyLimit)
        router.add(.post, "/api/devices/register", .requireScope(.notesWrite), devices.register)
        router.add(.post, "/api/devices/unregister", .requireScope(.notesWrite), devices.unregister)
        let export = ExportRoute(export: export, bodyLimit: bodyLimit)
        router.add(.post, "/webhook/api/export-obsidian", .requireScope(.notesWrite), export.handle)
    }

    private func addNotes(to router: GatewayRouter) {
        let notes = NoteRoutes(database: database, bodyLimit: bodyLimit)
        let changes = NoteChangeRoutes(database: database, bodyLimit: bodyLimit)
        router.add(.get, "/api/notes", .requireScope(.notesRead), notes.list)
        router.add(.post, "/api/notes", .requireScope(.notesWrite), changes.create)
        router.add(.get, "/api/notes/:id", .requireScope(.notesRead), notes.one)
        router.add(.put, "/api/notes/:id", .requireScope(.notesWrite), changes.update)
        router.add(.patch, "/api/notes/:id", .requireScope(.notesWrite), changes.update)
        router.add(.delete, "/api/notes/:id", .requireScope(.notesWrite), changes.delete)
        router.add(.post, "/api/notes/search", .requireScope(.notesRead), notes.search)
        router.add(.get, "/api/notes/recent", .requireScope(.notesRead), notes.recent)
        router.add(.get, "/api/notes/since/:date", .requireScope(.notesRead), notes.since)
        router.add(.post, "/api/notes/thread-assignments", .requireScope(.notesRead), notes.threadAssignments)
        router.add(.post, "/webhook/api/drafts", .requireScope(.notesWrite), changes.capture)
        // The names that older clients use.
        let related = RelatedNotesRoute(service: retrieval, bodyLimit: bodyLimit)
        router.add(.post, "/api/search", .requireScope(.notesRead), retrieve.handle)
        router.add(.post, "/api/related-notes", .requireScope(.notesRead), related.handle)
    }

    private func addThreads(to router: GatewayRouter) {
        let threads = ThreadRoutes(database: database)
        router.add(.get, "/api/threads", .requireScope(.notesRead), threads.list)
        router.add(.get, "/api/threads/:id", .requireScope(.notesRead), threads.one)
        router.add(.get, "/api/threads/search/:name", .requireScope(.notesRead), threads.search)
        router.add(.get, "/api/threads/:id/tasks", .requireScope(.notesRead), threads.tasks)
    }

    private func addSessions(to router: GatewayRouter) {
        let sessions = SessionRoutes(database: database, bodyLimit: bodyLimit)
        let messages = MessageRoutes(database: database, bodyLimit: bodyLimit)
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
        let routes = MemoryRoutes(database: database, retrieval: memories, bodyLimit: bodyLimit)
        router.add(.get, "/api/memories", .requireScope(.notesRead), routes.list)
        router.add(.post, "/api/memories", .requireScope(.notesWrite), routes.create)
        router.add(.put, "/api/memories/:id", .requireScope(.notesWrite), routes.update)
        router.add(.delete, "/api/memories/:id", .requireScope(.notesWrite), routes.delete)
        router.add(.post, "/api/memories/touch", .requireScope(.notesWrite), routes.touch)
        router.add(.post, "/api/memories/retrieve", .requireScope(.notesRead), routes.retrieve)
    }
}
