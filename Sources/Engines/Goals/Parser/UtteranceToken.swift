import Language
import Text

/// A word, number or mark of an utterance.
struct UtteranceToken {
    /// What it is.
    let kind: TokenScanner.Kind
    /// As it was written.
    let text: String
    /// For comparison.
    let folded: String
    /// Whether the token before ends where this one starts.
    let isAttached: Bool
    /// What a reader took the token for; nil as long as nobody did.
    var isUsed = false

    /// Tokens of one utterance at most.
    static let maxTokens = 400

    /// Cuts a text into tokens, in linear time; what is beyond ``maxTokens`` is left out.
    static func split(_ text: String) -> [UtteranceToken] {
        var scanner = TokenScanner(text[...], .amounts)
        var tokens: [UtteranceToken] = []
        while tokens.count < maxTokens, let token = scanner.next() {
            let piece = String(text[token.range])
            tokens.append(
                UtteranceToken(
                    kind: token.kind, text: piece, folded: TextFolding.folded(piece), isAttached: token.isAttached))
        }
        return tokens
    }
}
