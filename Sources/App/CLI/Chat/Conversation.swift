import Foundation
import GatewayAPI
import GatewayClient
import Prompts

/// A conversation through a gateway: its session, history, model, and the notes of the last question.
struct Conversation: Sendable {
    /// The maximum number of earlier messages to load, in pages of 500.
    static let maxLoadedMessages = 5000

    let data: RemoteDataService
    let llm: RemoteOllamaService
    let prompts: ChatPrompts
    /// The maximum number of notes for a question; 0 for none.
    let noteLimit: Int
    var model: String
    /// The session's id; nil until the first answer.
    private(set) var session: String?
    private var isStored = false
    private(set) var history: [ChatMessage] = []
    /// The notes found for the last question.
    private(set) var notes: [Note] = []

    /// A note as an answer cites it.
    struct Source: Codable, Equatable {
        var number: Int
        var id: Int64
        var title: String
        var date: String
    }

    init(data: RemoteDataService, llm: RemoteOllamaService, noteLimit: Int, model: String) throws {
        self.data = data
        self.llm = llm
        self.noteLimit = noteLimit
        self.model = model
        prompts = try ChatPrompts()
    }

    /// Loads a session to continue it.
    ///
    /// - Throws: ``GatewayClientError``, with status 404 when the session does not exist.
    mutating func resume(_ id: String) async throws {
        var messages: [ChatMessage] = []
        var page = PageRequest.first(500)
        repeat {
            let reply = try await data.messages(ofSession: id, page)
            messages += reply.messages.map { ChatMessage(role: $0.role, content: $0.content) }
            page.cursor = reply.nextCursor
        } while page.cursor != nil && messages.count < Self.maxLoadedMessages
        session = id
        isStored = true
        history = messages
        notes = []
    }

    /// Begins a new session.
    ///
    /// - Parameter id: The new session's id; nil creates one with the first answer.
    mutating func begin(_ id: String? = nil) {
        session = id
        isStored = false
        history = []
        notes = []
    }

    /// Finds notes for a question.
    ///
    /// - Returns: Why the search used keywords only; nil when it did not.
    mutating func findNotes(for question: String) async throws -> String? {
        notes = []
        guard noteLimit > 0 else { return nil }
        let query = HistoryBudget.cut(question, maxTokens: 2000)
        let found = try await data.retrieve(RetrieveRequest(query: query, limit: noteLimit))
        notes = found.results.map(\.note)
        return found.fallbackReason
    }

    /// The messages to send to the model: the system prompt, recent history, and the question with its notes.
    func messages(for question: String, fence: String = Self.fence()) -> [ChatMessage] {
        let share = HistoryBudget.maxNoteTokens / max(1, notes.count)
        let cited = notes.map {
            Prompts.CitedNote(
                title: HistoryBudget.cut($0.title, maxTokens: 64), date: String($0.createdAt.prefix(10)),
                content: HistoryBudget.cut($0.content, maxTokens: share))
        }
        let system = ChatMessage(role: "system", content: prompts.system(
                .ask, .init(hasNotes: !notes.isEmpty, isStrict: false, hasTools: false), fence: fence))
        let asked = ChatMessage(role: "user", content: prompts.question(question, notes: cited, fence: fence))
        return [system] + HistoryBudget.latest(history) + [asked]
    }

    /// Streams the answer to a question.
    func answer(_ question: String) async throws -> AsyncThrowingStream<ChatChunk, any Error> {
        try await llm.chat(ChatRequest(model: model, messages: messages(for: question)))
    }

    /// The notes that an answer cites.
    func sources(of citations: Citations) -> [Source] {
        citations.cited.filter { notes.indices.contains($0 - 1) }.map { number in
            let note = notes[number - 1]
            return Source(number: number, id: note.id, title: note.title, date: String(note.createdAt.prefix(10)))
        }
    }

    /// Adds a question and its answer to the history and to the session, which the first answer creates.
    mutating func keep(_ question: String, _ answer: String) async throws {
        history.append(ChatMessage(role: "user", content: question))
        history.append(ChatMessage(role: "assistant", content: answer))
        let id = session ?? "chat-" + UUID().uuidString.lowercased()
        session = id
        if !isStored {
            let line = question.split(whereSeparator: \.isNewline).joined(separator: " ")
            _ = try await data.saveSession(id, SessionUpdate(title: HistoryBudget.cut(line, maxTokens: 20)))
            isStored = true
        }
        _ = try await data.addMessage(NewMessage(role: "user", content: question), toSession: id)
        _ = try await data.addMessage(NewMessage(role: "assistant", content: answer), toSession: id)
    }

    /// A random separator around notes, which no note can contain.
    static func fence() -> String { "=====" + String(UInt64.random(in: .min ... .max), radix: 36) + "=====" }
}
