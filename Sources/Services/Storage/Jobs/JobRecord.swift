/// The row of a job.
public struct JobRecord: Sendable, Hashable {
    /// The row.
    public var id: Int64
    /// What it does.
    public var kind: String
    /// `running`, `done`, `failed`, `cancelled` or `interrupted`.
    public var state: String
    /// What it was asked for, JSON.
    public var parameters: String
    /// Units done.
    public var done: Int
    /// Units in all.
    public var total: Int
    /// Units that failed.
    public var failed: Int
    /// A sentence for people.
    public var message: String?
    /// Goes up with every change.
    public var revision: Int64
    /// When it was asked for; all times are `YYYY-MM-DD HH:MM:SS` in UTC.
    public var createdAt: String
    /// When it last began.
    public var startedAt: String?
    /// When it ended.
    public var finishedAt: String?
    /// The key that began it and pays for it; nil for nobody.
    public var keyID: Int64?
}

/// How far a job is.
public struct JobProgress: Sendable, Hashable {
    /// Units done.
    public var done: Int
    /// Units in all.
    public var total: Int
    /// Units that failed.
    public var failed: Int
    /// A sentence for people.
    public var message: String?

    /// Creates progress.
    public init(done: Int, total: Int, failed: Int = 0, message: String? = nil) {
        self.done = done
        self.total = total
        self.failed = failed
        self.message = message
    }
}
