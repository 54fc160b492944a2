import ActionItems
import Concurrency
import GatewayAPI
package import Goals
package import JobRoom
package import Schedules
package import Storage
import Synchronization
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
    /// Whether notes are read without being asked to.
    let isOn: Bool
    /// The clock.
    let now: @Sendable () -> Instant
    private let seen = Seen()

    /// The ends of the log of changes up to which notes were looked at, so that nothing is compared while nothing changes.
    private final class Seen: Sendable {
        /// Up to here all notes are read.
        let all = Mutex<Int64?>(nil)
        /// Up to here at most ``batch`` notes are unread.
        let few = Mutex<Int64?>(nil)
    }

    package init(
        store: any GatewayStore, rule: DayRule, firstWeekday: Int, isOn: Bool = true,
        now: @escaping @Sendable () -> Instant = BriefingService.clock
    ) {
        self.store = store
        self.rule = rule
        self.firstWeekday = firstWeekday
        self.isOn = isOn
        self.now = now
    }

    /// Whether it is time for the workflow, and it did not run today; or whether many notes came since.
    package func isDue(_ settings: NotesSettings) async throws -> Bool {
        let today = rule.day(of: now())
        guard settings.workflows.contains(.actions) else { return false }
        if now() >= rule.instant(of: today, minute: settings.briefingMinute),
            try await !store.jobs.ran(Job.Kind.actions.rawValue, on: today.description)
        {
            return true
        }
        return try await isBehind()
    }

    /// Whether more notes are unread than a list of tasks reads by itself. Compares the texts of the notes only after changes.
    private func isBehind() async throws -> Bool {
        let end = try await store.changes.mark()
        guard seen.few.withLock({ $0 }) != end, try await hasRoom() else { return false }
        let unread = try await store.taskDrafts.unreadCount(since: since(days: Self.defaultDays))
        guard unread <= Self.batch else { return true }
        seen.few.withLock { $0 = end }
        return false
    }

    /// Whether there is room for more open drafts.
    private func hasRoom() async throws -> Bool { try await store.taskDrafts.openCount() < TaskDraftRoom.maxOpen }

    /// Reads notes that are new or changed, at most those of one transaction, so that a list of tasks has those of a moment ago.
    /// Does nothing while the workflow is off.
    func catchUp() async throws {
        guard isOn else { return }
        let (start, end) = (seen.all.withLock { $0 }, try await store.changes.mark())
        guard start != end, try await hasRoom() else { return }
        // After the first time only what changed since is compared, unless that is much.
        var changed: Set<Int64>?
        if let start { changed = try await store.changes.ids(since: start, until: end) }
        let notes = try await store.taskDrafts.unread(
            since: since(days: Self.defaultDays), among: changed.flatMap { $0.count <= 1000 ? Array($0) : nil },
            limit: Self.batch)
        try await keep(notes)
        if notes.count < Self.batch { seen.all.withLock { $0 = end } }
    }

    /// Keeps what notes say is to be done.
    @discardableResult
    private func keep(_ notes: [UnreadNote]) async throws -> Int {
        guard !notes.isEmpty else { return 0 }
        let size = notes.reduce(0) { $0 + $1.content.utf8.count }
        let read = try await LargeWork.shared.run(over: size, for: "drafts") {
            notes.map { (note: $0, tasks: self.tasks(in: $0)) }
        }
        return try await store.taskDrafts.keep(read, at: now().seconds)
    }

    private func since(days: Int) -> Int64 { now().seconds - Int64(days) * 86_400 }

    /// Ticks the box of a note that a draft stands for, as an editor would, and reads the note again.
    ///
    /// - Returns: The draft; nil when there is none that is open.
    /// - Throws: ``StorageError``: conflict when the draft is no box, or the note changed meanwhile.
    func tick(_ id: Int64) async throws -> TaskDraft? {
        guard let known = try await store.taskDrafts.open(id) else { return nil }
        // The place counts only in the text that was read.
        try await readAgain(known.source.noteID)
        guard let draft = try await store.taskDrafts.open(id) else { return nil }
        guard draft.box == true else {
            throw StorageError(.conflict, "the draft \(id) is no check box of a note: confirm or decline it")
        }
        guard let note = try await store.notes.find(ids: [draft.source.noteID]).first else { return nil }
        guard let text = CheckBox.ticked(at: draft.source.start, in: note.content) else {
            throw StorageError(.conflict, "note \(note.id) has changed: read the tasks again")
        }
        var change = NoteChange()
        change.content = text
        guard try await store.notes.update(note.id, change, revision: note.currentRevision) else { return nil }
        try await readAgain(note.id)
        return draft
    }

    /// Reads a note that changed since it was read.
    private func readAgain(_ note: Int64) async throws {
        guard note > 0 else { return }
        try await keep(store.taskDrafts.unread(among: [note], limit: 1))
    }

    /// Runs a job that reads new and changed notes. Returns its text.
    ///
    /// - Throws: ``StorageError``, `CancellationError`.
    package func work(_ job: StoredJob, _ report: @escaping @Sendable (JobProgress) -> Void) async throws -> String? {
        let request = try job.decodedParameters(as: ActionsJobRequest.self)
        let today = rule.day(of: now()).description
        let kind = Job.Kind.actions.rawValue
        if request.daily == true, try await store.jobs.ran(kind, on: today), try await !isBehind() {
            return "the workflow ran today"
        }
        let days = min(max(request.days ?? Self.defaultDays, 1), Self.maxDays)
        let text = try await read(since: since(days: days), report)
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
            let new = try await keep(notes)
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
            FoundTask(
                title: $0.title, due: $0.due?.description, source: $0.source, range: $0.range, isBox: $0.isBox)
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
