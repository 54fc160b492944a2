import GRDB
public import GatewayAPI

/// A job with what only the server knows of it.
public struct StoredJob: Sendable, Hashable {
    /// The job.
    public var job: Job
    /// What it was asked for, JSON.
    public var parameters: String
    /// The key that began it and pays for it; nil for nobody.
    public var keyID: Int64?

    /// The row of the job.
    public var id: Int64 { job.id }
}

extension StoredJob {
    /// The job of a row; nil when the row has no id, or a kind or state that this version does not know.
    init?(_ row: Row) {
        guard let id = row.integer("id"), let kind = row.text("kind").flatMap(Job.Kind.init),
            let state = row.text("state").flatMap(Job.State.init)
        else { return nil }
        self.init(
            job: Job(
                id: id, kind: kind, state: state, done: row.count("done"), total: row.count("total"),
                failed: row.count("failed"), message: row.text("message"), revision: row.integer("revision") ?? 0,
                createdAt: row.text("created_at") ?? "", startedAt: row.text("started_at"),
                finishedAt: row.text("finished_at")),
            parameters: row.text("parameters") ?? "", keyID: row.integer("key_id"))
    }
}
