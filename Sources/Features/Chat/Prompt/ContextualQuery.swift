/// What a question is searched by.
struct ContextualQuery: Sendable, Hashable {
    /// The text to look for: the question, or what replaces it because it depends on the conversation.
    var text: String
    /// The person's own words, searched beside a model's rewriting; nil when ``text`` has them, or when they name nothing.
    var own: String?
    /// Whether ``text`` differs from the question.
    var isRewritten = false

    /// A question that stands on its own.
    init(_ question: String) { text = question }

    /// A model's rewriting of a question.
    init(_ rewriting: String, own question: String) {
        text = rewriting
        own = QuestionContext.hasContent(question) && rewriting != question ? question : nil
    }
}

/// Joins ranked lists.
enum RankedLists {
    /// The elements of two lists by turns, best first; each once.
    static func alternating<Element>(
        _ first: [Element], _ second: [Element], isSame: (Element, Element) -> Bool
    ) -> [Element] {
        var joined: [Element] = []
        for rank in 0..<max(first.count, second.count) {
            for list in [first, second] where rank < list.count {
                let element = list[rank]
                if !joined.contains(where: { isSame($0, element) }) { joined.append(element) }
            }
        }
        return joined
    }
}
