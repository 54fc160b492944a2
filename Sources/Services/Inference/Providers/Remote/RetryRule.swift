package import Transport

/// Decides whether a request to a provider is repeated, and after which pause: outcome in, decision out.
package enum RetryRule {
    /// The maximum number of attempts.
    static let maxAttempts = 3
    /// The longest pause. A provider that asks for a longer one gets no other attempt, and the caller its wish.
    static let longestPause = Duration.seconds(20)

    /// Returns the pause before the next attempt; nil for none.
    ///
    /// - Parameters:
    ///   - outcome: The response head, whose status is no success, or the error before the head.
    ///   - word: The provider's own word for the error, such as `insufficient_quota`.
    ///   - attempt: The number of attempts so far.
    ///   - chance: A random number from 0 to 1, which spreads the attempts of many clients.
    static func pause(
        after outcome: Result<UpstreamResponseHead, UpstreamError>, word: String?, attempt: Int, chance: Double
    ) -> Duration? {
        guard attempt < maxAttempts else { return nil }
        // Doubles from half a second.
        let usual = Duration.milliseconds(500) * (1 << attempt) / 2 * (1 - 0.25 * chance)
        switch outcome {
        case .failure(let error):
            switch error.code {
            case .refused, .dns, .connectTimeout, .cut, .protocolViolation: return usual
            default: return nil
            }
        case .success(let head):
            guard isRepeatable(head, word) else { return nil }
            guard let wish = wish(of: head) else { return usual }
            return wish <= longestPause ? wish : nil
        }
    }

    /// The pause that a provider asks for; nil for none.
    package static func wish(of head: UpstreamResponseHead) -> Duration? {
        if let text = head["retry-after-ms"], let milliseconds = Double(text), (0...86_400_000).contains(milliseconds) {
            return .milliseconds(Int64(milliseconds.rounded(.up)))
        }
        // The other form, a date, needs clocks that agree; the usual pause serves as well.
        guard let text = head["retry-after"], let seconds = Double(text), (0...86_400).contains(seconds) else {
            return nil
        }
        return .milliseconds(Int64((seconds * 1000).rounded(.up)))
    }

    private static func isRepeatable(_ head: UpstreamResponseHead, _ word: String?) -> Bool {
        switch head["x-should-retry"]?.lowercased() {
        case "true": return true
        case "false": return false
        default: break
        }
        if let word, word.contains("quota") || word.contains("billing") { return false }
        switch head.status {
        case 408, 409, 429: return true
        case 501, 505: return false
        default: return head.status >= 500
        }
    }
}
