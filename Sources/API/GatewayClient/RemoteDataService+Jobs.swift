public import GatewayAPI

/// Calls the job routes of a gateway. Starting and resuming are retried only when the gateway refused the call.
extension RemoteDataService {
    /// `POST /api/jobs/backfill`: starts to embed pending notes; returns the running job when there is one.
    public func startBackfill(_ request: BackfillJobRequest) async throws -> Job {
        try await connection.send(Call("POST", "/api/jobs/backfill", request, .whenRefused))
    }

    /// `POST /api/briefing/associations/compute`: starts to find pairs of similar notes; returns the running job when
    /// there is one.
    public func startAssociations(_ request: AssociationsRequest) async throws -> Job {
        try await connection.send(Call("POST", "/api/briefing/associations/compute", request, .whenRefused))
    }

    /// `POST /api/jobs/briefing`: starts to make the briefing of today; returns the running job when there is one.
    public func startBriefing(_ request: BriefingJobRequest) async throws -> Job {
        try await connection.send(Call("POST", "/api/jobs/briefing", request, .whenRefused))
    }

    /// `POST /api/jobs/threads`: starts to group notes and to look for threads; returns the running job when there is one.
    public func startThreads(_ request: ThreadsJobRequest) async throws -> Job {
        try await connection.send(Call("POST", "/api/jobs/threads", request, .whenRefused))
    }

    /// `GET /api/threads/proposals`: returns proposals, newest first; 20 to a page.
    ///
    /// - Parameter state: `open`, `accepted`, `declined` or `all`; `open` when nil.
    public func threadProposals(
        _ state: String? = nil, _ page: PageRequest = PageRequest()
    ) async throws -> ThreadProposalList {
        try await connection.send(Call("GET", "/api/threads/proposals").with("state", state).with(page))
    }

    /// `POST /api/threads/proposals/:id/accept`: carries out a proposal. Idempotent.
    ///
    /// - Parameter name: Another name for a new thread.
    public func acceptProposal(_ id: Int64, name: String? = nil) async throws -> ThreadProposal {
        try await connection.send(
            Call("POST", "/api/threads/proposals/\(id)/accept", ThreadAcceptance(name: name), .always))
    }

    /// `POST /api/threads/proposals/:id/decline`: declines a proposal; it is not made again. Idempotent.
    public func declineProposal(_ id: Int64) async throws -> ThreadProposal {
        try await connection.send(Call("POST", "/api/threads/proposals/\(id)/decline", .always))
    }

    /// `POST /api/jobs/memories`: starts to read chats for memories; returns the running job when there is one.
    public func startMemories() async throws -> Job {
        try await connection.send(Call("POST", "/api/jobs/memories", MemoriesJobRequest(), .whenRefused))
    }

    /// `POST /api/jobs/actions`: starts to find tasks in notes; returns the running job when there is one.
    public func startActions(_ request: ActionsJobRequest) async throws -> Job {
        try await connection.send(Call("POST", "/api/jobs/actions", request, .whenRefused))
    }

    /// `GET /api/jobs`: returns the latest jobs, newest first.
    public func jobs(limit: Int?) async throws -> JobList {
        try await connection.send(Call("GET", "/api/jobs").with("limit", limit))
    }

    /// `GET /api/jobs/:id`: returns the current state of one job.
    public func job(_ id: Int64) async throws -> Job { try await connection.send(Call("GET", "/api/jobs/\(id)")) }

    /// `DELETE /api/jobs/:id`: stops a job at its next safe point.
    public func cancelJob(_ id: Int64) async throws -> Job {
        try await connection.send(Call("DELETE", "/api/jobs/\(id)"))
    }

    /// `POST /api/jobs/:id/resume`: resumes a job that was interrupted, failed or cancelled.
    public func resumeJob(_ id: Int64) async throws -> Job {
        try await connection.send(Call("POST", "/api/jobs/\(id)/resume", .whenRefused))
    }
}
