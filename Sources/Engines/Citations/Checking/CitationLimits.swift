/// Bounds on the work of checking one answer. What lies behind a bound is not looked at.
package enum CitationLimits {
    /// UTF-8 bytes of an answer.
    package static let maxAnswerBytes = 256 * 1024
    /// Sentences of an answer.
    package static let maxSentences = 400
    package static let maxPassages = 64
    /// UTF-8 bytes of a passage.
    package static let maxPassageBytes = 64 * 1024
    /// UTF-8 bytes of all passages together.
    package static let maxTotalBytes = 512 * 1024
    /// Sentences of all passages together.
    package static let maxPassageSentences = 3000
    /// Passages that one sentence cites.
    package static let maxCited = 8
}
