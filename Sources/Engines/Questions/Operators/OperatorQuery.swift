package import Goals

/// A search text with its operators read: words, what must be there, what must not, and filters.
///
/// ``description`` is a text that reads as an equal query.
package struct OperatorQuery: Sendable, Hashable {
    /// A word, or a text that has to stand as it is written. Neither has quotation marks.
    package enum Term: Sendable, Hashable {
        case word(String)
        case phrase(String)

        package var text: String {
            switch self {
            case .word(let text), .phrase(let text): text
            }
        }
    }

    /// A filter by what belongs to a hit.
    package struct Filter: Sendable, Hashable {
        package enum Name: String, Sendable, CaseIterable {
            case tag, type, thread, source, title, book, has
            /// In a thread, a book or a chat of this name.
            case `in`
        }

        package var name: Name
        /// Without the sign of a tag before it.
        package var value: String
        /// Whether hits must not have it.
        package var isExcluded: Bool

        package init(_ name: Name, _ value: String, isExcluded: Bool = false) {
            (self.name, self.value, self.isExcluded) = (name, value, isExcluded)
        }
    }

    /// What can be found.
    package enum Kind: String, Sendable, CaseIterable {
        case notes, books, chats, memories, threads, goals
    }

    /// Words and phrases, in their order. Phrases must be there; a search decides how much a word counts.
    package var terms: [Term] = []
    /// Groups, of each of which one must be there.
    package var choices: [[Term]] = []
    /// What must not be there.
    package var excluded: [Term] = []
    /// The filters, in their order.
    package var filters: [Filter] = []
    /// The kinds that are wanted; all when empty.
    package var kinds: Set<Kind> = []
    /// The kinds that are not wanted.
    package var excludedKinds: Set<Kind> = []
    /// The days, both ends included; nil for any time. An end before the beginning has no day.
    package var days: CalendarStretch?

    package init() {}

    /// Whether the text says more than words.
    package var hasOperators: Bool {
        var words = OperatorQuery()
        words.terms = terms.filter { if case .word = $0 { true } else { false } }
        return self != words
    }

    /// The text to search for: what was written where it has no operators, else its words and phrases without them.
    package func text(of written: String) -> String {
        guard hasOperators else { return written }
        return (terms + choices.flatMap(\.self)).map(\.text).joined(separator: " ")
    }

    /// The phrases that must be there.
    package var phrases: [String] {
        terms.compactMap { if case .phrase(let text) = $0 { text } else { nil } }
    }

    /// The kinds that the operators leave.
    package var wantedKinds: Set<Kind> {
        (kinds.isEmpty ? Set(Kind.allCases) : kinds).subtracting(excludedKinds)
    }

    /// The values of a filter.
    package func values(_ name: Filter.Name, isExcluded: Bool = false) -> [String] {
        filters.filter { $0.name == name && $0.isExcluded == isExcluded }.map(\.value)
    }
}
