import GatewayAPI

/// Limits how much of a conversation is sent to the model again.
enum HistoryBudget {
    /// The maximum tokens of earlier messages; with notes and the answer they fit a context of 8192.
    static let maxTokens = 2048
    /// The maximum tokens of the notes of one question.
    static let maxNoteTokens = 3072
    /// The tokens that a message costs in addition to its text.
    static let messageOverhead = 4

    /// Estimates a text's tokens, rather too high: four ASCII bytes per token, or three other bytes.
    static func tokens(_ text: String) -> Int {
        var ascii = 0
        var other = 0
        for byte in text.utf8 { if byte < 0x80 { ascii += 1 } else { other += 1 } }
        return (ascii + 3) / 4 + (other + 2) / 3
    }

    /// The latest messages that fit, oldest first, beginning with a user message.
    static func latest(_ messages: [ChatMessage], maxTokens: Int = maxTokens) -> [ChatMessage] {
        var left = maxTokens
        var kept: [ChatMessage] = []
        for message in messages.reversed() {
            left -= tokens(message.content) + messageOverhead
            guard left >= 0 else { break }
            kept.append(message)
        }
        return Array(kept.reversed().drop { $0.role != "user" })
    }

    /// Cuts a text to a number of tokens, and appends `…` if it was cut.
    static func cut(_ text: String, maxTokens: Int) -> String {
        guard tokens(text) > maxTokens else { return text }
        var low = 0
        var high = text.count
        while low < high {
            let middle = (low + high + 1) / 2
            if tokens(String(text.prefix(middle))) < maxTokens { low = middle } else { high = middle - 1 }
        }
        return String(text.prefix(low)) + "…"
    }
}
