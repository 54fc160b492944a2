import Database
package import Finding
package import GatewayAPI
import GoalRoom
import Questions

/// Finds goals by the words of their titles, descriptions, notes and keywords, for the search over all kinds.
package struct GoalsFinder: FindSource {
    /// The most goals that are looked at.
    private static let mostGoals = 2000

    package let kind = FindKind.goals
    package let usesMeaning = false
    package let scans = true
    private let service: GoalService

    package init(_ service: GoalService) { self.service = service }

    package func find(_ question: FindQuestion, byMeaning: Bool) async throws -> FindCandidates {
        // Goals have days of their own, but no time at which they were written.
        guard question.operators.days == nil,
            question.operators.filters.allSatisfy({ $0.name == .type || $0.name == .title })
        else { return FindCandidates() }
        let words = GroupNeedles(question.groups)
        var (cursor, seen) = (PageCursor?.none, 0)
        var found: [(inTitle: Int, candidate: FindCandidate)] = []
        repeat {
            let page = try await service.store.goals.list(GoalFilter(), after: cursor, limit: FindCandidates.most)
            seen += page.items.count
            for goal in page.items.map(\.record) {
                let text = [goal.description, goal.notes, goal.keywords.joined(separator: ", ")].compactMap(\.self)
                    .filter { !$0.isEmpty }.joined(separator: "\n")
                guard words.areIn([goal.title, text]) else { continue }
                var candidate = FindCandidate(id: goal.id, title: goal.title, text: text)
                candidate.labels.types = [goal.kind]
                found.append((words.count(in: goal.title), candidate))
            }
            cursor = page.next
        } while cursor != nil && seen < Self.mostGoals
        let ordered = found.enumerated().sorted { ($1.element.inTitle, $0.offset) < ($0.element.inTitle, $1.offset) }
        var candidates = FindCandidates(ordered.prefix(FindCandidates.most).map(\.element.candidate))
        if cursor != nil { candidates.cut = "only \(seen) goals were looked at" }
        return candidates
    }
}
