/// Decides whether a conversation may need some tools. Tools with the same occasion are offered together.
///
/// The schemas stand at the beginning of a prompt, so tools that come or go cost the model's server what it has read. An occasion
/// that is given therefore stays given while the conversation grows.
package final class ToolOccasion: Sendable {
    private let decide: @Sendable (_ said: [String]) async -> Bool

    /// - Parameter decide: Gets what the person has said in the conversation, oldest first.
    package init(_ decide: @escaping @Sendable (_ said: [String]) async -> Bool) { self.decide = decide }

    /// Whether the occasion is given.
    package func isGiven(in said: [String]) async -> Bool { await decide(said) }
}
