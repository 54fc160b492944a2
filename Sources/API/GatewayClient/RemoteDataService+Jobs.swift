public import GatewayAPI

/// Jobs of the gateway. Beginning and resuming are sent again only when the gateway turned them away.
extension RemoteDataService {
    /// `POST /api/jobs/backfill`: begins to embed what is pending; the job that runs already when there is one.
    public func startBackfill(_ request: BackfillJobRequest) async throws -> Job {
        try await connection.send(Call("POST", "/api/jobs/backfill", request, .whenRefused))
    }

    /// `POST /api/briefing/associations/compute`: begins to find pairs of notes that are near to each other; the job
    /// that runs already when there is one.
    public func startAssociations(_ request: AssociationsRequest) async throws -> Job {
        try await connection.send(Call("POST", "/api/briefing/associations/compute", request, .whenRefused))
    }

    /// `GET /api/jobs`: the latest jobs, newest first.
    public func jobs(limit: Int?) async throws -> JobList {
        try await connection.send(Call("GET", "/api/jobs").with("limit", limit))
    }

    /// `GET /api/jobs/:id`: one job as it stands.
    public func job(_ id: Int64) async throws -> Job { try await connection.send(Call("GET", "/api/jobs/\(id)")) }

    /// `DELETE /api/jobs/:id`: stops a job at its next safe point.
    public func cancelJob(_ id: Int64) async throws -> Job {
        try await connection.send(Call("DELETE", "/api/jobs/\(id)"))
    }

    /// `POST /api/jobs/:id/resume`: goes on with a job that was interrupted, failed or cancelled.
    public func resumeJob(_ id: Int64) async throws -> Job {
        try await connection.send(Call("POST", "/api/jobs/\(id)/resume", .whenRefused))
    }
}
