public import GatewayAPI

/// Calls the routes for evaluations of retrieval.
extension RemoteConsoleService {
    /// `GET /api/admin/evaluations/collections`: returns the collections that can be measured.
    public func evaluationCollections() async throws -> EvaluationFolderList {
        try await connection.send(Call("GET", "/api/admin/evaluations/collections"))
    }

    /// `POST /api/jobs/evaluation`: starts to measure a collection; returns the running job when there is one.
    public func startEvaluation(_ request: EvaluationJobRequest) async throws -> Job {
        try await connection.send(Call("POST", "/api/jobs/evaluation", request, .whenRefused))
    }

    /// `GET /api/admin/evaluations`: returns stored reports, latest first, without their contents.
    public func evaluations(_ page: PageRequest = .first) async throws -> StoredEvaluationPage {
        try await connection.send(Call("GET", "/api/admin/evaluations").with(page))
    }

    /// `GET /api/admin/evaluations/:id`: returns a stored report.
    public func evaluation(_ id: Int64) async throws -> StoredEvaluation {
        try await connection.send(Call("GET", "/api/admin/evaluations/\(id)"))
    }

    /// `GET /api/admin/evaluations/:id/compare/:other`: says whether the second report is better than the first.
    ///
    /// - Parameters:
    ///   - metric: Such as `ndcg@10`, which is used when nil.
    ///   - before: The mode of the first; `hybrid` when nil.
    ///   - after: The mode of the second; `hybrid` when nil.
    public func compareEvaluations(
        _ first: Int64, _ second: Int64, metric: String? = nil, before: String? = nil, after: String? = nil
    ) async throws -> EvaluationComparison {
        try await connection.send(
            Call("GET", "/api/admin/evaluations/\(first)/compare/\(second)").with("metric", metric)
                .with("before", before).with("after", after))
    }

    /// `POST /api/admin/evaluations/:id/gates`: says where a report fails conditions.
    public func checkEvaluation(_ id: Int64, gates: [String]) async throws -> EvaluationGateReport {
        try await connection.send(
            Call("POST", "/api/admin/evaluations/\(id)/gates", EvaluationGates(gates: gates), .always))
    }

    /// `DELETE /api/admin/evaluations/:id`: deletes a stored report.
    public func deleteEvaluation(_ id: Int64) async throws {
        let _: DeletedResponse = try await connection.send(
            Call("DELETE", "/api/admin/evaluations/\(id)", .whenRefused))
    }
}
