import ChatRoom
import GatewayAPI
import Inference
import Prompts
import Storage
import Tools

/// Finds messages that may tell of private notes: answers with passages of such notes, and answers of kinds that use
/// texts of threads or books, from a model on the user's machine. And answers made from memories, tasks, threads and other texts
/// that are no notes, whether the prompt or a tool had them.
///
/// A note that was deleted counts as private, since nothing says any more whether it was.
struct PrivateMessages: Sendable {
    /// What a provider on another machine gets instead of such a message.
    static let placeholder = "(This message is withheld: it may tell of private notes.)"

    /// The messages' ids.
    let messages: Set<Int64>
    /// Those of them that are private whatever their notes are.
    let beyondNotes: Set<Int64>
    /// The private notes among their sources.
    let notes: Set<Int64>

    /// No messages.
    static let none = PrivateMessages(messages: [], beyondNotes: [], notes: [])

    init(messages: Set<Int64>, beyondNotes: Set<Int64>, notes: Set<Int64>) {
        (self.messages, self.beyondNotes, self.notes) = (messages, beyondNotes, notes)
    }

    /// - Parameter hides: The private notes.
    /// - Throws: ``StorageError``.
    init(among all: some Sequence<Message> & Sendable, _ hides: NotePrivacy, _ engine: ChatEngine) async throws {
        let answers = all.filter { $0.run != nil }
        let sources = try await engine.answers.sources(of: answers.compactMap(\.run))
        let hidden = try await Self.hidden(
            Array(sources.values.reduce(into: Set()) { $0.formUnion($1.notes) }), hides, engine)
        beyondNotes = Set(
            answers.filter { message in
                guard let source = message.run.flatMap({ sources[$0] }) else { return true }
                return Self.usesMore(source, engine)
            }.map(\.id))
        let withNotes = answers.filter { message in
            guard let source = message.run.flatMap({ sources[$0] }) else { return true }
            return !source.notes.isDisjoint(with: hidden)
        }
        messages = beyondNotes.union(withNotes.map(\.id))
        notes = hidden
    }

    /// Returns the notes that are private or gone.
    static func hidden(_ notes: [Int64], _ hides: NotePrivacy, _ engine: ChatEngine) async throws -> Set<Int64> {
        guard !notes.isEmpty else { return [] }
        let found = try await engine.store.notes.find(ids: notes)
        return Set(notes).subtracting(found.filter { !hides.covers($0) }.map(\.id))
    }

    /// Replaces the texts of these messages. Returns how many.
    func withhold(from history: inout ArraySlice<Message>) -> Int {
        var count = 0
        for index in history.indices where messages.contains(history[index].id) {
            guard history[index].content != Self.placeholder else { continue }
            history[index].content = Self.placeholder
            count += 1
        }
        return count
    }

    /// Whether a model on the user's machine got more than passages of notes.
    private static func usesMore(_ source: ChatRunSources, _ engine: ChatEngine) -> Bool {
        if source.hasMemories { return true }
        guard engine.providers.mayRunHere(source.model) else { return false }
        // A tool that is gone may have told anything.
        if source.tools.contains(where: { engine.tools.tool(named: $0)?.tellsOnlyNotes != true }) { return true }
        return switch RunPlan.Options(stored: source.request).chatKind {
        case .deepDive, .threadWorkspace, .briefing, .book: true
        case .ask, .synthesis, .thinkingPartner, .plain: false
        }
    }
}
