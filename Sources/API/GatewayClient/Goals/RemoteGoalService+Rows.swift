import Foundation
public import GatewayAPI

/// Actions, terms, values and measures.
extension RemoteGoalService {
    // MARK: Actions

    /// `GET /api/actions`: returns actions, latest day first.
    ///
    /// - Parameters:
    ///   - query: Only actions with this text.
    ///   - first: The first day.
    ///   - last: The last day.
    ///   - goal: Only actions that count for this goal.
    public func actions(
        matching query: String? = nil, from first: String? = nil, to last: String? = nil, goal: String? = nil,
        _ page: PageRequest = .first
    ) async throws -> ActionList {
        try await connection.send(
            Call("GET", "/api/actions").with("q", query).with("from", first).with("to", last).with("goal", goal)
                .with(page))
    }

    /// `GET /api/actions/:id`: returns an action with the goals that it counts for.
    public func action(_ id: String, asOf moment: String? = nil) async throws -> ActionRecord {
        try await connection.send(Call("GET", try path("actions", id)).with("as_of", moment))
    }

    /// `POST /api/actions`: logs an action.
    public func log(_ action: ActionBody) async throws -> ActionRecord {
        var action = action
        if action.id.isKeep { action.id = .set(UUID().uuidString) }
        return try await connection.send(try Call("POST", "/api/actions", action, .always))
    }

    /// `POST /api/actions/parse`: reads what a person said and proposes an action. Nothing counts before it is confirmed,
    /// unless ``ActionText/confirm`` is true and nothing is in doubt.
    public func read(_ text: ActionText) async throws -> GoalProposal {
        var text = text
        text.turn = text.turn ?? UUID().uuidString
        return try await connection.send(try Call("POST", "/api/actions/parse", text, .always))
    }

    /// `PATCH /api/actions/:id`: changes an action.
    @discardableResult
    public func change(action id: String, _ change: ActionBody) async throws -> ActionRecord {
        try await connection.send(try Call("PATCH", try path("actions", id), change, .always))
    }

    /// `DELETE /api/actions/:id`: deletes an action. It can be undone.
    public func delete(action id: String) async throws {
        try await connection.sendForNothing(Call("DELETE", try path("actions", id), .whenRefused))
    }

    // MARK: Terms

    /// `GET /api/terms`: returns terms, latest first; with a day only those that run on it.
    public func terms(on day: String? = nil, _ page: PageRequest = .first) async throws -> TermList {
        try await connection.send(Call("GET", "/api/terms").with("on", day).with(page))
    }

    /// `GET /api/terms/:id`: returns a term with the goals that overlap it.
    public func term(_ id: String, asOf moment: String? = nil) async throws -> TermRecord {
        try await connection.send(Call("GET", try path("terms", id)).with("as_of", moment))
    }

    /// `POST /api/terms`: adds a term.
    public func add(_ term: TermBody) async throws -> TermRecord {
        var term = term
        if term.id.isKeep { term.id = .set(UUID().uuidString) }
        return try await connection.send(try Call("POST", "/api/terms", term, .always))
    }

    /// `PATCH /api/terms/:id`: changes a term.
    @discardableResult
    public func change(term id: String, _ change: TermBody) async throws -> TermRecord {
        try await connection.send(try Call("PATCH", try path("terms", id), change, .always))
    }

    /// `DELETE /api/terms/:id`: deletes a term. It can be undone.
    public func delete(term id: String) async throws {
        try await connection.sendForNothing(Call("DELETE", try path("terms", id), .whenRefused))
    }

    // MARK: Values

    /// `GET /api/values`: returns values, the first ones first.
    public func values(matching query: String? = nil, _ page: PageRequest = .first) async throws -> ValueList {
        try await connection.send(Call("GET", "/api/values").with("q", query).with(page))
    }

    /// `GET /api/values/:id`.
    public func value(_ id: String, asOf moment: String? = nil) async throws -> ValueRecord {
        try await connection.send(Call("GET", try path("values", id)).with("as_of", moment))
    }

    /// `POST /api/values`: adds a value.
    public func add(_ value: ValueBody) async throws -> ValueRecord {
        var value = value
        if value.id.isKeep { value.id = .set(UUID().uuidString) }
        return try await connection.send(try Call("POST", "/api/values", value, .always))
    }

    /// `PATCH /api/values/:id`: changes a value.
    @discardableResult
    public func change(value id: String, _ change: ValueBody) async throws -> ValueRecord {
        try await connection.send(try Call("PATCH", try path("values", id), change, .always))
    }

    /// `DELETE /api/values/:id`: deletes a value. It can be undone.
    public func delete(value id: String) async throws {
        try await connection.sendForNothing(Call("DELETE", try path("values", id), .whenRefused))
    }

    // MARK: Measures

    /// `GET /api/measures`: returns the units that the person uses.
    public func measures(_ page: PageRequest = .first) async throws -> MeasureList {
        try await connection.send(Call("GET", "/api/measures").with(page))
    }

    /// `POST /api/measures`: adds a unit.
    public func add(_ measure: MeasureBody) async throws -> MeasureRecord {
        var measure = measure
        if measure.id.isKeep { measure.id = .set(UUID().uuidString) }
        return try await connection.send(try Call("POST", "/api/measures", measure, .always))
    }

    /// `DELETE /api/measures/:id`: deletes a unit. It can be undone.
    public func delete(measure id: String) async throws {
        try await connection.sendForNothing(Call("DELETE", try path("measures", id), .whenRefused))
    }
}
