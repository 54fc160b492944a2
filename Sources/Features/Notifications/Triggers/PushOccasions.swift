import AssociationRoom
import BriefingRoom
import ChatRoom
import Database
import GatewayAPI
import JobRoom
import PushRoom
import ThreadRoom

/// How far triggers have looked.
struct PushTriggerCursor: Codable, Sendable, Hashable {
    /// What ended at this time or later is looked at again, as `YYYY-MM-DD HH:MM:SS` in UTC.
    var since: String
    /// The highest id of a thread.
    var thread: Int64

    /// The time in seconds since 1970; nil for one that cannot be read.
    var seconds: Int64? { Timestamp.unixSeconds(since) }
}

/// Finds what happened in the tables of other parts, wherever they are.
struct PushOccasions: Sendable {
    /// Occasions of one kind that one look returns at most.
    private static let most = 100

    let store: any ChatStore

    /// Where triggers start that never looked before: what happens from now on.
    func start() async throws -> PushTriggerCursor {
        PushTriggerCursor(
            since: try await store.snapshot { try $0.clock().text },
            thread: try await store.threadProposals.newestThread())
    }

    /// Jobs that ended since.
    ///
    /// - Parameter state: `done` or `failed`.
    func endedJobs(_ state: Job.State, _ cursor: PushTriggerCursor) async throws -> [PushOccasion] {
        try await store.jobs.ended(state, since: cursor.since, limit: Self.most).map {
            PushOccasion(origin: "job/\($0.id)/\($0.finishedAt)", name: $0.kind, detail: $0.message)
        }
    }

    /// Answers of chats that ended since.
    func readyAnswers(_ cursor: PushTriggerCursor) async throws -> [PushOccasion] {
        try await store.answers.done(since: cursor.since, limit: Self.most).map {
            PushOccasion(origin: "answer/\($0.id)", name: $0.question, detail: $0.session)
        }
    }

    /// Briefings that were made since. A briefing that is made anew is the same occasion.
    func newBriefings(_ cursor: PushTriggerCursor) async throws -> [PushOccasion] {
        guard let start = cursor.seconds else { return [] }
        return try await store.briefings.days(madeSince: start, limit: Self.most).map {
            PushOccasion(origin: "briefing/\($0)", name: $0, detail: "")
        }
    }

    /// Pairs of similar notes that a job found for the first time since. The name is the title of the older note, the detail
    /// that of the other one.
    func newPairs(_ cursor: PushTriggerCursor) async throws -> [PushOccasion] {
        guard let start = cursor.seconds else { return [] }
        return try await store.associations.new(since: start, limit: Self.most).map {
            PushOccasion(origin: "pair/\($0.first)/\($0.second)", name: $0.firstTitle, detail: $0.secondTitle)
        }
    }

    /// Open proposals of new threads that were made since. A proposal that changes is the same occasion.
    func proposedThreads(_ cursor: PushTriggerCursor) async throws -> [PushOccasion] {
        guard let start = cursor.seconds else { return [] }
        return try await store.threadProposals.open(.new, since: start, limit: Self.most).map {
            PushOccasion(origin: "proposal/\($0.id)", name: $0.name, detail: $0.why)
        }
    }

    /// Threads that began to heat up since, each once for every time that it begins.
    func heatingThreads(_ cursor: PushTriggerCursor) async throws -> [PushOccasion] {
        guard let start = cursor.seconds else { return [] }
        return try await store.threadGroups.heating(since: start, limit: Self.most).map {
            PushOccasion(
                origin: "heating/\($0.id)/\($0.since)", name: $0.name,
                detail: "\($0.recent) notes in the last 7 days, \($0.before) in the 4 weeks before")
        }
    }

    /// Threads that are new since and that no accepted proposal made, and the highest id now.
    func newThreads(_ cursor: PushTriggerCursor) async throws -> (occasions: [PushOccasion], newest: Int64) {
        let (threads, newest) = try await store.threadProposals.threads(after: cursor.thread, limit: Self.most)
        return (threads.map { PushOccasion(origin: "thread/\($0.id)", name: $0.name, detail: "") }, newest)
    }
}
