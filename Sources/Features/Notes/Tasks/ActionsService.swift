import ActionItems
import GatewayAPI
package import Goals
package import JobRoom
package import Schedules
package import Storage
import TaskRoom
import Text

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Finds tasks in notes, without a model and without another machine.
///
/// It reads each note once, and again when its text changed. A run that ended early goes on where it was: what was read is
/// marked in the store. A second run changes nothing.
package struct ActionsService: Sendable {
    /// The notes of one transaction.
    private static let batch = 100
    /// Notes of how many days are read, unless a request says otherwise.
    package static let defaultDays = 90
    /// The most days that a request may name.
    package static let maxDays = 36_500

    package let store: any GatewayStore
    /// The person's days.
    package let rule: DayRule
    /// The first day of a week, 0 for Sunday.
    let firstWeekday: Int
    /// The clock.
    let now: @Sendable () -> Instant

    package init(
        store: any GatewayStore, rule: DayRule, firstWeekday: Int,
        now: @escaping @Sendable () -> Instant = BriefingService.clock
    ) {
        self.store = store
        self.rule = rule
        self.firstWeekday = firstWeekday
        self.now = now
    }

    /// Whether it is time for the workflow, and it did not run today.
    package func isDue(_ settings: NotesSettings) async throws -> Bool {
        let today = rule.day(of: now())
        guard settings.workflows.contains(.actions), now() >= rule.instant(of: today, minute: settings.briefingMinute)
        else { return false }
        return try await !store.jobs.ran(Job.Kind.actions.rawValue, on: today.description)
    }

    /// Runs a job that reads new and changed notes. Returns its text.
    ///
    /// - Throws: ``StorageError``, `CancellationError`.
    package func work(_ job: StoredJob, _ report: @escaping @Sendable (JobProgress) -> Void) async throws -> String? {
        let request = try job.decodedParameters(as: ActionsJobRequest.self)
        let today = rule.day(of: now()).description
        let kind = Job.Kind.actions.rawValue
        if request.daily == true, try await store.jobs.ran(kind, on: today) { return "the workflow ran today" }
        let days = min(max(request.days ?? Self.defaultDays, 1), Self.maxDays)
        let text = try await read(since: now().seconds - Int64(days) * 86_400, report)
        // Any run that came to its end is the run of the day.
        try await store.jobs.keepRun(kind, on: today, at: now().seconds)
        return text
    }

    /// Reads the notes that were written from a second on and not read since they changed.
    private func read(since: Int64, _ report: @Sendable (JobProgress) -> Void) async throws -> String {
        let drafts = store.taskDrafts
        try await drafts.forgetGone()
        let total = try await drafts.unreadCount(since: since)
        var (last, done, added) = (Int64.min, 0, 0)
        var open = try await drafts.openCount()
        while open < TaskDraftRoom.maxOpen {
            try Task.checkCancellation()
            let notes = try await drafts.unread(since: since, after: last, limit: Self.batch)
            guard let end = notes.last else { break }
            let new = try await drafts.keep(notes.map { ($0, tasks(in: $0)) }, at: now().seconds)
            last = end.id
            done += notes.count
            added += new
            open += new
            report(JobProgress(done: done, total: max(total, done)))
            await Task.yield()
        }
        let isFull = open >= TaskDraftRoom.maxOpen
        return "\(Count.of(added, "draft")) of tasks in \(Count.of(done, "note"))"
            + (isFull ? "; decide about some of the \(TaskDraftRoom.maxOpen) open drafts first" : "")
    }

    /// The tasks of a note. Days are relative to the day on which it was written.
    func tasks(in note: UnreadNote) -> [FoundTask] {
        items(in: note.content, writtenOn: day(ofDate: note.createdAt)).map {
            FoundTask(title: $0.title, due: $0.due?.description, source: $0.source, range: $0.range)
        }
    }

    /// The tasks of any text.
    func items(in text: String, writtenOn day: LocalDay?) -> [ActionItem] {
        ActionItemFinder(writtenOn: day ?? rule.day(of: now()), firstWeekday: firstWeekday).find(in: text)
    }

    /// The person's day of a stored date; nil for unreadable text. A date without a time is a day already.
    func day(ofDate text: String) -> LocalDay? {
        LocalDay(parsing: text) ?? Timestamp.unixSeconds(text).map { rule.day(of: Instant(seconds: $0)) }
    }
}
