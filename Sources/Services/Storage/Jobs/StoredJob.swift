import GRDB
public import GatewayAPI

/// A job with its server-side fields.
public struct StoredJob: Sendable, Hashable {
    /// The job.
    public var job: Job
    /// The job's parameters as JSON.
    public var parameters: String
    /// The key that started the job and is charged for its tokens; nil for none.
    public var keyID: Int64?

    /// The row's id.
    public var id: Int64 { job.id }

    package init(job: Job, parameters: String, keyID: Int64?) {
        self.job = job
        self.parameters = parameters
        self.keyID = keyID
    }
}

extension StoredJob {
    /// Reads a row; nil when it has no id, or a kind or state unknown to this version.
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
