public import GatewayAPI

/// Calls the routes for drafts of tasks.
extension RemoteDataService {
    /// `POST /api/tasks`: creates a task of a thread. Retried only when the gateway refused the call.
    public func createTask(_ task: NewTask) async throws -> TaskRecord {
        try await connection.send(try Call("POST", "/api/tasks", task, .whenRefused))
    }

    /// `GET /api/tasks/drafts`: returns tasks that wait for a decision, latest first; 100 to a page.
    public func taskDrafts(_ page: PageRequest = PageRequest()) async throws -> TaskDraftList {
        try await connection.send(Call("GET", "/api/tasks/drafts").with(page))
    }

    /// `PATCH /api/tasks/drafts/:id`: changes an open draft.
    public func changeTaskDraft(_ id: Int64, _ update: TaskDraftUpdate) async throws -> TaskDraft {
        try await connection.send(try Call("PATCH", "/api/tasks/drafts/\(id)", update, .always))
    }

    /// `POST /api/tasks/drafts/:id/confirm`: makes a task of a draft; again gives the same task.
    public func confirmTaskDraft(_ id: Int64, _ update: TaskDraftUpdate = TaskDraftUpdate()) async throws -> TaskRecord
    {
        try await connection.send(try Call("POST", "/api/tasks/drafts/\(id)/confirm", update, .always))
    }

    /// `DELETE /api/tasks/drafts/:id`: declines a draft.
    public func declineTaskDraft(_ id: Int64) async throws -> DeletedResponse {
        try await connection.send(Call("DELETE", "/api/tasks/drafts/\(id)"))
    }
}
