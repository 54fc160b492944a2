import ActionItems
import GatewayAPI
import Goals
import Storage
import TaskRoom

/// The tasks as an iCalendar object.
struct TaskCalendar: Sendable {
    /// The most tasks of a calendar: those with the earliest due day.
    static let maxTasks = 2000

    let store: TaskRoom

    /// Returns the calendar of the open tasks, or of all.
    ///
    /// - Throws: ``StorageError``.
    func text(_ state: TaskRoom.State) async throws -> String {
        var entries: [CalendarFeed.Entry] = []
        var cursor: PageCursor?
        repeat {
            let page = try await store.page(state, after: cursor, limit: min(500, Self.maxTasks - entries.count))
            entries += page.items.map(Self.entry)
            cursor = page.next
        } while cursor != nil && entries.count < Self.maxTasks
        return CalendarFeed.text(name: "Selene", entries: entries)
    }

    private static func entry(_ task: TaskRecord) -> CalendarFeed.Entry {
        CalendarFeed.Entry(
            uid: "task-\(task.id)@selene", title: task.title ?? "Task \(task.id)",
            due: task.due.flatMap { LocalDay(parsing: $0) },
            created: task.createdAt.flatMap(Timestamp.unixSeconds),
            // A task that is done at an unreadable time is done all the same.
            completed: task.completedAt.map { Timestamp.unixSeconds($0) ?? 0 }, category: task.thread?.name)
    }
}
