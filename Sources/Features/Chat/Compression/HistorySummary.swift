import ChatRoom
import GatewayAPI
import Inference
import Storage
import Tools

/// The summary of the beginning of a conversation.
struct HistorySummary: Sendable {
    var text: String
    /// The number of messages that it covers, from the first of the conversation. 0 for a summary of another program,
    /// whose messages the conversation need not have.
    var covers: Int
    /// The notes whose text was in the messages; nil when unknown.
    var notes: [Int64]?
    /// The full name of the model that wrote it; nil when unknown.
    var model: String?

    /// Stands among the notes for a text that is private and no note. No note has this id, and notes that are gone are private.
    static let privateText: Int64 = 0

    /// Finds the summary that reaches furthest; without one, that of another program; nil without either.
    ///
    /// - Parameter history: The messages before the question, oldest first.
    static func find(_ history: ArraySlice<Message>, of session: String, in store: SummaryRoom) async throws
        -> Self?
    {
        if let found = covering(history, try await store.reaching(furthestIn: history.map(\.id), of: session)) {
            return found
        }
        return foreign(try await store.foreignSummary(of: session))
    }

    /// The summary of a conversation; nil for none.
    static func of(_ conversation: ChatConversation) -> Self? {
        covering(conversation.messages, conversation.summary) ?? foreign(conversation.foreignSummary)
    }

    private static func covering(_ history: ArraySlice<Message>, _ found: ChatSummary?) -> Self? {
        guard let found, let place = history.firstIndex(where: { $0.id == found.message }) else { return nil }
        return Self(text: found.text, covers: place - history.startIndex + 1, notes: found.notes, model: found.model)
    }

    private static func foreign(_ text: String?) -> Self? { text.map { Self(text: $0, covers: 0, notes: nil) } }

    /// Whether it may be sent to a provider on another machine. An unknown origin counts as private.
    ///
    /// - Parameters:
    ///   - messages: The conversation from its beginning. A model on the user's machine has read those that it covers whole.
    ///   - hidden: The private messages among them.
    func mayLeave(
        _ hides: NotePrivacy, covering messages: some Sequence<Message>, _ hidden: PrivateMessages, _ engine: ChatEngine
    ) async throws -> Bool {
        guard let notes else { return false }
        let isFromHere = model.map(engine.providers.mayRunHere) ?? true
        if isFromHere, messages.prefix(covers).contains(where: { hidden.beyondNotes.contains($0.id) }) { return false }
        return try await PrivateMessages.hidden(notes, hides, engine).isEmpty
    }
}
