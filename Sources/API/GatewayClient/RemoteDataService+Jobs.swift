public import GatewayAPI

/// Jobs of the gateway. Beginning and resuming are sent again only when the gateway turned them away.
extension RemoteDataService: JobProvider {
    /// `POST /api/jobs/backfill`
    public func startBackfill(_ request: BackfillJobRequest) async throws -> Job {
        try await connection.send(Call("POST", "/api/jobs/backfill", request, .whenRefused))
    }

    /// `POST /api/briefing/associations/compute`
    public func startAssociations(_ request: AssociationsRequest) async throws -> Job {
        try await connection.send(Call("POST", "/api/briefing/associations/compute", request, .whenRefused))
    }

    /// `GET /api/jobs`
    public func jobs(limit: Int?) async throws -> JobList {
        try await connection.send(Call("GET", "/api/jobs").with("limit", limit))
    }

    /// `GET /api/jobs/:id`
    public func job(_ id: Int64) async throws -> Job { try await connection.send(Call("GET", "/api/jobs/\(id)")) }

    /// `DELETE /api/jobs/:id`
    public func cancelJob(_ id: Int64) async throws -> Job {
        try await connection.send(Call("DELETE", "/api/jobs/\(id)"))
    }

    /// `POST /api/jobs/:id/resume`
    public func resumeJob(_ id: Int64) async throws -> Job {
        try await connection.send(Call("POST", "/api/jobs/\(id)/resume", .whenRefused))
    }
}
