import AssociationRoom
import Communities
import GatewayAPI
package import Goals
package import JobRoom
package import Schedules
package import Storage
import Synchronization
package import ThreadRoom

/// Groups similar notes, proposes threads, and finds out how lively threads are.
///
/// The same notes, pairs, threads and day give the same result, in whatever order they were written. A second run on a day
/// changes nothing.
package struct ThreadService: Sendable {
    /// Brings the stored pairs up to date. Returns the notes whose pairs have changed, nil when all may have, and how far the
    /// pairs are.
    package typealias Pairs =
        @Sendable (_ job: StoredJob, _ again: Bool, _ report: @escaping @Sendable (JobProgress) -> Void) async throws
        -> (changed: Set<Int64>?, state: ThreadGroupState)

    package let store: any GatewayStore
    /// The person's days.
    package let rule: DayRule
    /// The clock.
    let now: @Sendable () -> Instant
    private let phraser: ThreadPhraser?
    private let pairs: Pairs

    /// Creates it.
    ///
    /// - Parameter phraser: Phrases names and summaries by a model; nil for none.
    package init(
        store: any GatewayStore, rule: DayRule, phraser: ThreadPhraser? = nil,
        now: @escaping @Sendable () -> Instant = BriefingService.clock, pairs: @escaping Pairs
    ) {
        self.store = store
        self.rule = rule
        self.phraser = phraser
        self.now = now
        self.pairs = pairs
    }

    /// Whether it is time for the workflow to run, and it was not done today.
    package func isDue(_ settings: NotesSettings) async throws -> Bool {
        let today = rule.day(of: now())
        guard settings.workflows.contains(.threads),
            now() >= rule.instant(of: today, minute: settings.briefingMinute)
        else { return false }
        return try await store.threadGroups.doneDay() != today.description
    }

    /// Runs the job. Returns its last message.
    ///
    /// It goes on where it stopped: pairs that were found stay, and everything after them is made again in seconds.
    /// - Throws: ``StorageError``, `CancellationError`, and what finding pairs throws.
    package func work(_ job: StoredJob, _ report: @escaping @Sendable (JobProgress) -> Void) async throws -> String? {
        let request = try job.decodedParameters(as: ThreadsJobRequest.self)
        let time = now()
        let day = rule.day(of: time)
        if request.daily == true, try await store.threadGroups.doneDay() == day.description {
            return "the workflow ran today"
        }
        let last = Mutex(JobProgress(done: 0, total: 0))
        let (changed, state) = try await pairs(job, request.again ?? false) { progress in
            last.withLock { $0 = progress }
            report(progress)
        }
        try Task.checkCancellation()
        let times = try await store.threadGroups.noteTimes()
        let grouping = NoteGrouping(
            groups: store.threadGroups, associations: store.associations, times: times)
        let communities = try await grouping.update(changed, state)
        try Task.checkCancellation()
        // Ages count from the end of the day, so that they are the same all day.
        let end = rule.instants(of: day).upperBound.seconds
        let threads = try await store.threadGroups.threads()
        let finder = ProposalFinder(store: store, times: times, end: end)
        let outcome = try await finder.update(communities, threads, now: time.seconds)
        let heats = Self.heats(of: threads, times, end: end)
        _ = try await store.threadGroups.keep(heats, now: time.seconds)
        let phrased = try await phraser?.update(
            again: request.again ?? false, taken: threads.map(\.name), key: job.keyID, now: time.seconds
        ) { sentence in
            var progress = last.withLock { $0 }
            progress.message = sentence
            report(progress)
        }
        try await store.threadGroups.setDone(day.description)
        return "\(communities.count) groups of notes, \(outcome.open) open proposals, \(outcome.new) of them new"
            + (phrased?.text ?? "")
    }

    /// How lively the active threads are.
    static func heats(of threads: [ThreadMembers], _ times: [Int64: Int64], end: Int64) -> [ThreadHeatRow] {
        let week = end - ThreadHeat.recentDays * 86_400
        let start = end - ThreadHeat.allDays * 86_400
        return threads.filter(\.isActive).map { thread in
            let written = thread.notes.compactMap { times[$0] }
            let recent = written.filter { $0 >= week }.count
            let before = written.filter { $0 >= start && $0 < week }.count
            return ThreadHeatRow(
                thread: thread.id, heat: ThreadHeat.of(recent: recent, before: before).rawValue,
                momentum: ThreadMomentum.score(written, now: end - 1), recent: recent, before: before)
        }
    }
}
