import ChatRoom
import Access
import ChatRun
import GatewayAPI
import Logging
import Prompts
import Search
import Storage

/// The memories of a prompt: they come with the question that they are chosen for, with a budget of their own.
struct MemoryBlock {
    /// The subjects that every question may need.
    private static let standing = [
        "name", "home", "native", "employer", "occupation", "diet", "allergy", "family.spouse",
    ]

    /// The memories in the prompt.
    private(set) var used: [ChatMemory] = []

    /// Takes memories while they fit.
    ///
    /// - Parameters:
    ///   - memories: The most important first.
    ///   - context: The size of the model's context in tokens.
    init(_ memories: [Memory], context: Int, _ estimate: TokenEstimate) {
        var left = min(ChatLimits.memoryTokens, context / ChatLimits.memoryShare)
        for memory in memories {
            let tokens = estimate.tokens(Self.line(memory.content))
            guard tokens <= left else { continue }
            left -= tokens
            used.append(ChatMemory(id: memory.id, content: memory.content))
        }
    }

    /// The block; empty without memories.
    var context: [ChatPrompts.Context] {
        guard !used.isEmpty else { return [] }
        let text = used.map { Self.line($0.content) }.joined(separator: "\n")
        return [.init(heading: "what the author said about themselves earlier; cite none of it", text: text)]
    }

    private static func line(_ content: String) -> String {
        "- " + content.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// The memories for a question: pinned ones, those that the question is about, then the person's circumstances.
    ///
    /// Memories that cannot be read or searched now are left out: a question is answered without them.
    static func candidates(for question: String, _ engine: ChatEngine, _ account: TokenAccount) async -> [Memory] {
        guard engine.settings.remembers else { return [] }
        var always: [Memory] = []
        do {
            let found = try await engine.store.memories.always(keys: standing, limit: ChatLimits.standingMemories)
            // Without memories there is nothing to search.
            guard let found else { return [] }
            always = found
        } catch {
            engine.logger.debug("memories cannot be read", metadata: ["error": "\(error)"])
        }
        var query = MemoryRetrieval.Query()
        query.text = question
        query.limit = ChatLimits.foundMemories
        query.account = account
        query.mayTellPrivate = true
        let found = (try? await engine.memories?.retrieve(query).results) ?? []
        var chosen: [Memory] = always.filter { $0.details?.isPinned == true }
        chosen += found.filter { $0.score >= ChatLimits.memorySimilarity }.map { $0.memory }
        chosen += always
        var seen: Set<Int64> = []
        return chosen.filter { seen.insert($0.id).inserted }
    }
}
