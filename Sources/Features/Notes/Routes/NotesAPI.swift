package import Access
import AssociationRoom
import GatewayAPI
package import Goals
import HTTPTypes
import Hummingbird
package import PushRoom
package import Server
package import Storage
import TaskRoom
import ThreadRoom

/// All routes for notes, threads, capture, briefing, devices and export.
package struct NotesAPI: Sendable {
    /// The feature's part of the OpenAPI document, in UTF-8.
    package static let description = PackageResources.openapi_yaml

    package let store: any GatewayStore
    private let devices: PushDeviceStore
    package let export: NoteExport?
    let bodyLimit: Int
    /// Makes briefings.
    package let briefings: BriefingService
    /// Finds tasks in notes.
    package let actions: ActionsService

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - push: The devices of apps.
    ///   - exports: What was exported to folders of this machine.
    ///   - rule: The person's days, for briefings and tasks.
    ///   - firstWeekday: The first day of a week, 0 for Sunday.
    ///   - readsTasks: Whether lists of tasks read new notes by themselves.
    ///   - goals: The goals that are due on a day, for briefings.
    ///   - exportFolder: The folder for exported notes; nil disables the export.
    ///   - scans: Limits concurrent reads of many rows.
    package init(
        store: any GatewayStore, push: PushRoom, exports: ExportStore, rule: DayRule, firstWeekday: Int,
        readsTasks: Bool, goals: @escaping BriefingService.Goals, exportFolder: String?, scans: KeyConcurrencyLimiter,
        bodyLimit: Int
    ) {
        briefings = BriefingService(store: store, rule: rule, goals: goals)
        actions = ActionsService(store: store, rule: rule, firstWeekday: firstWeekday, isOn: readsTasks)
        (self.store, devices) = (store, push.devices)
        export = exportFolder.map { NoteExport(store: store, records: exports, folder: $0, scans: scans) }
        self.bodyLimit = bodyLimit
    }

    /// Adds the routes. The router must require keys already.
    package func add(to router: GatewayRouter) {
        addNotes(to: router)
        addThreads(to: router)
        addTasks(to: router)
        addProposals(to: router)
        let briefing = BriefingRoutes(store: store.associations, service: briefings)
        router.add(.get, "/api/briefing/today", .requireScope(.notesRead), briefing.today)
        router.add(.get, "/api/briefing/:date", .requireScope(.notesRead), briefing.ofDay)
        router.add(.get, "/api/briefing/associations", .requireScope(.notesRead), briefing.associations)
        let export = ExportRoute(export: export, bodyLimit: bodyLimit)
        router.add(.post, "/webhook/api/export-obsidian", .requireScope(.notesWrite), export.handle)
        let devices = DeviceRoutes(store: devices, bodyLimit: bodyLimit)
        router.add(.post, "/api/devices/register", .requireScope(.notesWrite), devices.register)
        router.add(.post, "/api/devices/unregister", .requireScope(.notesWrite), devices.unregister)
    }

    private func addNotes(to router: GatewayRouter) {
        let notes = NoteRoutes(store: store.notes, bodyLimit: bodyLimit)
        let changes = NoteChangeRoutes(store: store.notes, bodyLimit: bodyLimit)
        router.add(.get, "/api/notes", .requireScope(.notesRead), notes.list)
        router.add(.post, "/api/notes", .requireScope(.notesWrite), changes.create)
        router.add(.get, "/api/notes/:id", .requireScope(.notesRead), notes.one)
        router.add(.get, "/api/notes/:id/links", .requireScope(.notesRead), notes.links)
        router.add(.put, "/api/notes/:id", .requireScope(.notesWrite), changes.update)
        router.add(.patch, "/api/notes/:id", .requireScope(.notesWrite), changes.update)
        router.add(.delete, "/api/notes/:id", .requireScope(.notesWrite), changes.delete)
        router.add(.post, "/api/notes/search", .requireScope(.notesRead), notes.search)
        router.add(.get, "/api/notes/recent", .requireScope(.notesRead), notes.recent)
        router.add(.get, "/api/notes/since/:date", .requireScope(.notesRead), notes.since)
        router.add(.post, "/api/notes/thread-assignments", .requireScope(.notesRead), notes.threadAssignments)
        router.add(.post, "/webhook/api/drafts", .requireScope(.notesWrite), changes.capture)
        let files = NoteImportRoute(service: NoteImport(notes: store.notes), bodyLimit: bodyLimit)
        router.add(.post, "/api/notes/import", .requireScope(.notesWrite), files.handle)
        let history = NoteHistoryRoutes(
            notes: store.notes, history: store.noteHistory, bodyLimit: bodyLimit)
        router.add(.get, "/api/notes/deleted", .requireScope(.notesRead), history.deleted)
        router.add(.get, "/api/notes/:id/history", .requireScope(.notesRead), history.list)
        router.add(.get, "/api/notes/:id/history/:version", .requireScope(.notesRead), history.one)
        router.add(.post, "/api/notes/:id/restore", .requireScope(.notesWrite), history.restore)
        router.add(.delete, "/api/notes/:id/history", .requireScope(.notesWrite), history.erase)
    }

    private func addThreads(to router: GatewayRouter) {
        let threads = ThreadRoutes(
            store: store.threads, notes: store.notes, tasks: store.tasks)
        router.add(.get, "/api/threads", .requireScope(.notesRead), threads.list)
        router.add(.get, "/api/threads/:id", .requireScope(.notesRead), threads.one)
        router.add(.get, "/api/threads/search/:name", .requireScope(.notesRead), threads.search)
        router.add(.get, "/api/threads/:id/tasks", .requireScope(.notesRead), threads.listTasks)
    }

    private func addProposals(to router: GatewayRouter) {
        let proposals = ThreadProposalRoutes(store: store.threadProposals, bodyLimit: bodyLimit)
        router.add(.get, "/api/threads/proposals", .requireScope(.notesRead), proposals.list)
        router.add(.post, "/api/threads/proposals/:id/accept", .requireScope(.notesWrite), proposals.accept)
        router.add(
            .post, "/api/threads/proposals/:id/decline", .requireScope(.notesWrite), takesFields: false,
            proposals.decline)
    }

    private func addTasks(to router: GatewayRouter) {
        let tasks = TaskRoutes(store: store.tasks, bodyLimit: bodyLimit)
        router.add(.get, "/api/tasks", .requireScope(.notesRead), tasks.list)
        router.add(.patch, "/api/tasks/:id", .requireScope(.notesWrite), tasks.change)
        let drafts = TaskDraftRoutes(
            drafts: store.taskDrafts, tasks: store.tasks, messages: store.messages, actions: actions,
            bodyLimit: bodyLimit)
        router.add(.post, "/api/tasks/drafts", .requireScope(.notesWrite), drafts.draft)
        router.add(.post, "/api/tasks", .requireScope(.notesWrite), drafts.create)
        router.add(.get, "/api/tasks.ics", .requireScope(.notesRead), drafts.calendar)
        router.add(.get, "/api/tasks/drafts", .requireScope(.notesRead), drafts.list)
        router.add(.patch, "/api/tasks/drafts/:id", .requireScope(.notesWrite), drafts.change)
        router.add(.delete, "/api/tasks/drafts/:id", .requireScope(.notesWrite), drafts.decline)
        router.add(.post, "/api/tasks/drafts/:id/done", .requireScope(.notesWrite), takesFields: false, drafts.tick)
        router.add(.post, "/api/tasks/drafts/:id/confirm", .requireScope(.notesWrite), drafts.confirm)
    }
}
