import ArgumentParser
import GatewayAPI
import GatewayClient
import Text

/// Finds the goal or term that a person names.
enum GoalChoice {
    /// Goals of one search that are looked at.
    private static let most = 200

    /// The goal with an id, the beginning of an id (4 characters or more), or a title that no other goal has. Case does not
    /// matter; a part of the title is enough if only one goal has it.
    ///
    /// - Throws: `ValidationError` if there is none, or more than one.
    static func goal(_ name: String, _ service: RemoteGoalService) async throws -> GoalRecord {
        if isWholeID(name) { return try await service.goal(name) }
        if isPartOfID(name) {
            let all = try await service.goals(.first(most)).goals
            let found = all.filter { $0.id.lowercased().hasPrefix(name.lowercased()) }
            if let one = found.first, found.count == 1 { return one }
        }
        let found = try await service.goals(matching: name, .first(most)).goals
        let folded = TextFolding.folded(name)
        let exact = found.filter { TextFolding.folded($0.title) == folded }
        let titled = found.filter { TextFolding.folded($0.title).contains(folded) }
        for list in [exact, titled, found] {
            if let one = list.first, list.count == 1 { return one }
            guard list.isEmpty else { throw ambiguous(name, list.map { "\($0.id.prefix(8))  \($0.title)" }) }
        }
        throw ValidationError("there is no goal \"\(name)\". List them: selene goals list")
    }

    /// The term with a number or an id; without a name the one that runs, else the latest.
    static func term(_ name: String?, _ service: RemoteGoalService) async throws -> TermRecord {
        if let name, isWholeID(name) { return try await service.term(name) }
        let terms = try await service.terms(.first(most)).terms
        if let name {
            guard let number = Int(name), let one = terms.first(where: { $0.number == number }) else {
                throw ValidationError("there is no term \"\(name)\". List them: selene terms list")
            }
            return try await service.term(one.id)
        }
        guard let one = terms.first(where: { $0.week != nil }) ?? terms.first else {
            throw ValidationError("there are no terms. Add one: selene terms add --theme \"…\"")
        }
        return try await service.term(one.id)
    }

    /// How the latest turn of a row is undone, as a line for people; nil if the history does not know it.
    static func undoHint(_ id: String, _ service: RemoteGoalService) async throws -> String? {
        guard let last = try await service.history(id: id, .first(1)).changes.first else { return nil }
        return last.turn.map { "undo: selene goals undo --turn \"\($0)\"" } ?? "undo: selene goals undo \(last.number)"
    }

    static func isWholeID(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12] && parts.allSatisfy { $0.allSatisfy(\.isHexDigit) }
    }

    private static func isPartOfID(_ text: String) -> Bool {
        text.count >= 4 && text.allSatisfy { $0.isHexDigit || $0 == "-" }
    }

    private static func ambiguous(_ name: String, _ rows: [String]) -> ValidationError {
        let list = rows.prefix(10).map { "  \($0)" }.joined(separator: "\n")
        return ValidationError("\"\(name)\" fits several goals. Give more of the title, or the id:\n\(list)")
    }
}
