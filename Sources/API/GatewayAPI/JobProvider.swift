/// Long work in the background of a gateway: embedding, and finding near pairs. One of a kind runs at a time.
public protocol JobProvider: Sendable {
    /// Begins to embed what is pending; the job that runs already when there is one.
    func startBackfill(_ request: BackfillJobRequest) async throws -> Job
    /// Begins to find pairs of notes that are near to each other; the job that runs already when there is one.
    func startAssociations(_ request: AssociationsRequest) async throws -> Job
    /// The latest jobs, newest first.
    func jobs(limit: Int?) async throws -> JobList
    /// One job as it stands.
    func job(_ id: Int64) async throws -> Job
    /// Stops a job at its next safe point.
    func cancelJob(_ id: Int64) async throws -> Job
    /// Goes on with a job that was interrupted, failed or cancelled.
    func resumeJob(_ id: Int64) async throws -> Job
}
