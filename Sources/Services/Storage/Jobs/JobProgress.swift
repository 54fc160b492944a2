/// The progress of a job.
public struct JobProgress: Sendable, Hashable {
    /// Units done.
    public var done: Int
    /// Total number of units.
    public var total: Int
    /// Units that failed.
    public var failed: Int
    /// A readable sentence.
    public var message: String?

    /// Creates progress.
    public init(done: Int, total: Int, failed: Int = 0, message: String? = nil) {
        self.done = done
        self.total = total
        self.failed = failed
        self.message = message
    }
}
