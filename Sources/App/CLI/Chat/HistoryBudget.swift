import GatewayAPI

/// How much of a conversation goes to the model again.
enum HistoryBudget {
    /// Tokens of earlier messages at most; with notes and the answer it fits a context of 8192.
    static let maxTokens = 2048
    /// Tokens of the notes of one question at most.
    static let maxNoteTokens = 3072
    /// Tokens that a message has beside its text.
    static let messageOverhead = 4

    /// An estimate of a text's tokens that is rather too high: four bytes to a token, three where letters are not ASCII.
    static func tokens(_ text: String) -> Int {
        var ascii = 0
        var other = 0
        for byte in text.utf8 { if byte < 0x80 { ascii += 1 } else { other += 1 } }
        return (ascii + 3) / 4 + (other + 2) / 3
    }

    /// The latest messages that fit, oldest first, beginning with one of the user's.
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

    /// The beginning of a text that fits a number of tokens, with `…` where it was cut.
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
