public import Foundation
public import GatewayAPI

/// Calls the routes of goals, with progress, proposals, questions, history and reviews.
///
/// Every method throws ``GatewayClientError``. New rows get their ids here, so a call that is sent again adds nothing twice.
/// ``undo(_:)`` and a review that is kept are sent again only when the gateway did nothing.
public struct RemoteGoalService: Sendable {
    let connection: GatewayConnection

    /// Creates a service over a connection.
    public init(_ connection: GatewayConnection) { self.connection = connection }

    // MARK: Goals

    /// `GET /api/goals`: returns goals, those that end first before others.
    ///
    /// - Parameters:
    ///   - query: Only goals with this text in title, description or notes.
    ///   - kind: `goal`, `smart`, `milestone` or `obligation`.
    ///   - day: Only goals that run on this day, such as `2026-11-22`.
    ///   - term: Only goals that are committed to this term.
    ///   - hasProgress: Whether each goal has its progress.
    public func goals(
        matching query: String? = nil, kind: String? = nil, on day: String? = nil, term: String? = nil,
        hasProgress: Bool = false, _ page: PageRequest = .first
    ) async throws -> GoalList {
        try await connection.send(
            Call("GET", "/api/goals").with("q", query).with("kind", kind).with("on", day).with("term", term)
                .with("progress", hasProgress ? "true" : nil).with(page))
    }

    /// `GET /api/goals/:id`: returns a goal with its progress.
    ///
    /// - Parameter moment: A day, or the number of a change, as of which the row is returned; as it is now when nil.
    public func goal(_ id: String, asOf moment: String? = nil) async throws -> GoalRecord {
        try await connection.send(Call("GET", try path("goals", id)).with("as_of", moment))
    }

    /// `POST /api/goals`: adds a goal.
    public func add(_ goal: GoalBody) async throws -> GoalRecord {
        var goal = goal
        if goal.id.isKeep { goal.id = .set(UUID().uuidString) }
        return try await connection.send(try Call("POST", "/api/goals", goal, .always))
    }

    /// `PATCH /api/goals/:id`: changes a goal.
    @discardableResult
    public func change(_ id: String, _ change: GoalBody) async throws -> GoalRecord {
        try await connection.send(try Call("PATCH", try path("goals", id), change, .always))
    }

    /// `DELETE /api/goals/:id`: deletes a goal. It can be undone.
    public func delete(goal id: String) async throws {
        try await connection.sendForNothing(Call("DELETE", try path("goals", id), .whenRefused))
    }

    /// `GET /api/goals/:id/progress`: returns how far a goal is, with its days and windows.
    ///
    /// - Parameters:
    ///   - day: As of this day; today when nil.
    ///   - zone: The person's zone; that of the gateway's settings when nil.
    public func progress(of id: String, on day: String? = nil, zone: String? = nil) async throws -> GoalProgress {
        try await connection.send(Call("GET", try path("goals", id) + "/progress").with("day", day).with("zone", zone))
    }

    /// `PUT /api/goals/:id/skips/:day`: skips a day on purpose.
    @discardableResult
    public func skip(_ day: String, of id: String) async throws -> GoalRecord {
        try await connection.send(Call("PUT", try path("goals", id) + "/skips/" + Call.segment(day)))
    }

    /// `DELETE /api/goals/:id/skips/:day`: takes a skip back.
    @discardableResult
    public func unskip(_ day: String, of id: String) async throws -> GoalRecord {
        try await connection.send(Call("DELETE", try path("goals", id) + "/skips/" + Call.segment(day)))
    }

    /// `GET /api/goals/today`: returns what is due, what was logged, and what waits for the person.
    public func today(zone: String? = nil) async throws -> GoalsToday {
        try await connection.send(Call("GET", "/api/goals/today").with("zone", zone))
    }

    // MARK: What waits for the person

    /// `GET /api/goals/proposals`: returns proposals, latest first.
    public func proposals(state: String? = nil, _ page: PageRequest = .first) async throws -> GoalProposalList {
        try await connection.send(Call("GET", "/api/goals/proposals").with("state", state).with(page))
    }

    /// `GET /api/goals/proposals/:id`.
    public func proposal(_ id: String) async throws -> GoalProposal {
        try await connection.send(Call("GET", try path("goals/proposals", id)))
    }

    /// `POST /api/goals/proposals/:id/confirm`: does what a proposal says. Doing so again changes nothing.
    @discardableResult
    public func confirm(_ id: String) async throws -> GoalProposal {
        try await connection.send(Call("POST", try path("goals/proposals", id) + "/confirm"))
    }

    /// `DELETE /api/goals/proposals/:id`: rejects a proposal.
    @discardableResult
    public func reject(_ id: String) async throws -> GoalProposal {
        try await connection.send(Call("DELETE", try path("goals/proposals", id)))
    }

    /// `GET /api/goals/questions`: returns actions that may count for a goal. Nothing of them is counted.
    public func questions(goal: String? = nil, _ page: PageRequest = .first) async throws -> GoalQuestionList {
        try await connection.send(Call("GET", "/api/goals/questions").with("goal", goal).with(page))
    }

    /// `POST /api/goals/decisions`: says whether an action counts for a goal.
    @discardableResult
    public func decide(_ decision: GoalDecision) async throws -> ActionRecord {
        try await connection.send(try Call("POST", "/api/goals/decisions", decision, .always))
    }

    // MARK: History

    /// `GET /api/goals/history`: returns changes by all writers, latest first.
    ///
    /// - Parameters:
    ///   - table: `goals`, `actions`, `values`, `terms` or `measures`.
    ///   - id: Only this row and what belongs to it.
    ///   - turn: Only this turn.
    public func history(
        table: String? = nil, id: String? = nil, turn: String? = nil, _ page: PageRequest = .first
    ) async throws -> GoalChangeList {
        try await connection.send(
            Call("GET", "/api/goals/history").with("table", table).with("id", id).with("turn", turn).with(page))
    }

    /// `POST /api/goals/undo`: undoes one change or a turn.
    @discardableResult
    public func undo(_ what: GoalUndo) async throws -> GoalUndone {
        try await connection.send(try Call("POST", "/api/goals/undo", what, .whenRefused))
    }

    // MARK: Reviews, export, import

    /// `POST /api/goals/reviews`: returns the review of a week or a term, and keeps it as a note on demand.
    public func review(_ request: GoalReviewRequest) async throws -> GoalReview {
        try await connection.send(
            try Call("POST", "/api/goals/reviews", request, request.save == true ? .whenRefused : .always))
    }

    /// `GET /api/goals/export`: returns everything as JSON lines, or the actions as CSV.
    ///
    /// - Parameter format: `jsonl` or `csv`.
    public func export(format: String = "jsonl") async throws -> Data {
        var call = Call("GET", "/api/goals/export").with("format", format)
        call.headers["Accept"] = "application/x-ndjson, text/csv"
        return try await connection.sendForData(call)
    }

    /// `POST /api/goals/import`: adds the rows of an export, of CSV, or of a database of the original app. Rows that are there
    /// already are not added again.
    public func importing(_ file: Data) async throws -> GoalImportReport {
        var call = Call("POST", "/api/goals/import")
        call.body = file
        call.headers["Content-Type"] = "application/octet-stream"
        return try await connection.send(call)
    }

    /// The path of a row.
    func path(_ area: String, _ id: String) throws -> String { "/api/\(area)/" + (try Call.segment(id)) }
}
