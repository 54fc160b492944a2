import GatewayAPI
import Inference

/// How the record of a run grows.
extension ChatRecord {
    /// Notes that private notes were not sent.
    mutating func withhold(_ notes: some Sequence<Int64>) {
        withheld += notes.filter { !withheld.contains($0) }
    }

    /// Notes the state of a call of a tool; it replaces the earlier one.
    mutating func note(_ use: ChatToolUse) {
        if let place = tools.firstIndex(where: { $0.id == use.id }) { tools[place] = use } else { tools.append(use) }
    }

    /// Adds the tokens of a request. Returns the sum.
    mutating func add(_ tokens: (prompt: Int, completion: Int)) -> ChatTokens {
        var sum = usage ?? ChatTokens(promptTokens: 0, completionTokens: 0)
        sum.promptTokens += max(0, min(tokens.prompt, 1 << 40))
        sum.completionTokens += max(0, min(tokens.completion, 1 << 40))
        usage = sum
        return sum
    }

    /// Adds the passages that a tool found, with the next numbers, until there are ``ChatLimits/allPassages``.
    ///
    /// - Returns: The passages that the result names, in the same order. One that the model has keeps its number.
    mutating func number(
        _ found: [ChatPassage], of tool: String, beside prompt: RunPrompt
    ) -> [(passage: ChatPassage, isNew: Bool)] {
        var told: [(ChatPassage, Bool)] = []
        var next = max(prompt.earlier.next, (passages.map(\.number).max() ?? 0) + 1)
        for var passage in found {
            let known = (passages + prompt.kept).first {
                $0.note == passage.note && $0.book == passage.book && $0.range == passage.range
            }
            if let known {
                told.append((known, false))
                continue
            }
            guard passages.count < ChatLimits.allPassages else { break }
            passage.source = tool
            passage.number = prompt.earlier.number(of: passage) ?? next
            next = max(next, passage.number + 1)
            passages.append(passage)
            told.append((passage, true))
        }
        return told
    }

    /// Takes the verdicts of a check, with the citations that the gateway added.
    ///
    /// - Parameter withdrawn: The ranges of sentences that lost their support.
    /// - Returns: What is new.
    mutating func take(
        _ check: AnswerCheck, withdrawing withdrawn: Set<[Int]>
    ) -> (citations: [ChatCitation], sentences: [ChatSentence]) {
        let supported = check.supported(by: citations.filter(\.isAdded))
        let found = AnswerCheck.withdrawing(withdrawn, from: supported.citations, supported.sentences)
        let news = (
            found.citations.filter { !citations.contains($0) }, found.sentences.filter { !sentences.contains($0) }
        )
        if !news.0.isEmpty || !news.1.isEmpty { (citations, sentences) = found }
        return news
    }
}
