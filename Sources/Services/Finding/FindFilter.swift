import Questions
import Text

/// Whether a candidate has what operators ask for. The rule is the same for all kinds.
///
/// Several values of `type:`, `source:`, `book:` and `in:` are choices; of other filters, all must hold. Names are compared
/// without case: `type:` and `tag:` whole, the others by a part.
package struct FindFilter {
    /// What a name is compared with.
    private enum Pattern {
        case whole(String)
        case part(FoldedNeedle)

        init(_ text: String, isWhole: Bool) {
            let folded = TextFolding.folded(text)
            self = isWhole ? .whole(folded) : .part(FoldedNeedle(folded: folded))
        }

        func matches(_ name: String) -> Bool {
            switch self {
            case .whole(let text): TextFolding.folded(name) == text
            case .part(let needle): needle.isIn(name)
            }
        }
    }

    private struct Condition {
        var name: OperatorQuery.Filter.Name
        var patterns: [Pattern]
        var isExcluded: Bool
    }

    private let question: FindQuestion
    private let phrases: [FoldedNeedle]
    private let choices: [[FoldedNeedle]]
    private let excluded: [FoldedNeedle]
    private let conditions: [Condition]

    package init(_ question: FindQuestion) {
        func needle(_ term: OperatorQuery.Term) -> FoldedNeedle { FoldedNeedle(folded: TextFolding.folded(term.text)) }
        self.question = question
        let query = question.operators
        phrases = query.phrases.map { FoldedNeedle(folded: TextFolding.folded($0)) }
        choices = query.choices.map { $0.map(needle) }
        excluded = query.excluded.map(needle)
        var conditions: [Condition] = []
        for filter in query.filters {
            let pattern = Pattern(filter.value, isWhole: [.tag, .type, .has].contains(filter.name))
            let isChoice = [.type, .source, .book, .in].contains(filter.name) && !filter.isExcluded
            if isChoice, let place = conditions.firstIndex(where: { $0.name == filter.name && !$0.isExcluded }) {
                conditions[place].patterns.append(pattern)
            } else {
                conditions.append(Condition(name: filter.name, patterns: [pattern], isExcluded: filter.isExcluded))
            }
        }
        self.conditions = conditions
    }

    /// Whether a candidate may be in the list.
    package func passes(_ candidate: FindCandidate) -> Bool {
        func has(_ needle: FoldedNeedle) -> Bool { needle.isIn(candidate.text) || needle.isIn(candidate.title) }
        guard isInTime(candidate.labels.time), mayBe(candidate) else { return false }
        return !excluded.contains(where: has) && phrases.allSatisfy(has)
            && choices.allSatisfy { $0.contains(where: has) }
    }

    /// Whether a candidate has what filters ask for, whatever its text and its time.
    package func mayBe(_ candidate: FindCandidate) -> Bool { conditions.allSatisfy { holds($0, candidate) } }

    private func isInTime(_ time: Int64?) -> Bool {
        guard question.operators.days != nil else { return true }
        guard let time else { return false }
        return time >= question.since ?? .min && time <= question.until ?? .max
    }

    private func holds(_ condition: Condition, _ candidate: FindCandidate) -> Bool {
        guard let names = Self.names(condition.name, candidate) else { return false }
        let isThere = names.contains { name in condition.patterns.contains { $0.matches(name) } }
        return isThere != condition.isExcluded
    }

    /// The names that a filter compares; nil for a kind that has none.
    private static func names(_ name: OperatorQuery.Filter.Name, _ candidate: FindCandidate) -> [String]? {
        let labels = candidate.labels
        return switch name {
        case .tag: labels.tags.map { $0.map { String($0.drop { $0 == "#" || $0 == " " }) } }
        case .type: labels.types
        case .thread: labels.threads
        case .source: labels.source.map { [$0] }
        case .book: labels.book.map { [$0] }
        case .in: labels.places
        case .title: candidate.title.isEmpty ? nil : [candidate.title]
        case .has: labels.hasTask.map { $0 ? ["task"] : [] }
        }
    }
}
