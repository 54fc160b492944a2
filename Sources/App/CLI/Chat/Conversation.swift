import Foundation
import GatewayAPI
import GatewayClient
import Prompts

/// One conversation over the gateway: its session, its history, its model and the notes of the last question.
struct Conversation: Sendable {
    /// Earlier messages of a session that are loaded, in pages of 500 at most.
    static let maxLoadedMessages = 5000

    let data: RemoteDataService
    let llm: RemoteOllamaService
    let prompts: ChatPrompts
    /// How many notes go with a question; 0 for none.
    let noteLimit: Int
    var model: String
    /// nil until something was answered.
    private(set) var session: String?
    private var isStored = false
    private(set) var history: [ChatMessage] = []
    /// What the last question was answered from.
    private(set) var notes: [Note] = []

    /// A note's part in an answer.
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

    /// Goes on with a session.
    ///
    /// - Throws: ``GatewayClientError``, with status 404 when there is no such session.
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

    /// Begins anew.
    ///
    /// - Parameter id: The new session's id; one is made with the first answer when nil.
    mutating func begin(_ id: String? = nil) {
        session = id
        isStored = false
        history = []
        notes = []
    }

    /// Finds notes for a question. Says why words alone were looked at, when that is so.
    mutating func findNotes(for question: String) async throws -> String? {
        notes = []
        guard noteLimit > 0 else { return nil }
        let query = HistoryBudget.cut(question, maxTokens: 2000)
        let found = try await data.retrieve(RetrieveRequest(query: query, limit: noteLimit))
        notes = found.results.map(\.note)
        return found.fallbackReason
    }

    /// What goes to the model for a question.
    func messages(for question: String, fence: String = Self.fence()) -> [ChatMessage] {
        let share = HistoryBudget.maxNoteTokens / max(1, notes.count)
        let cited = notes.map {
            Prompts.CitedNote(
                title: HistoryBudget.cut($0.title, maxTokens: 64), date: String($0.createdAt.prefix(10)),
                content: HistoryBudget.cut($0.content, maxTokens: share))
        }
        let system = ChatMessage(role: "system", content: prompts.system(hasNotes: !notes.isEmpty, fence: fence))
        let asked = ChatMessage(role: "user", content: prompts.question(question, notes: cited, fence: fence))
        return [system] + HistoryBudget.latest(history) + [asked]
    }

    /// Streams the answer to a question, piece by piece.
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

    /// Keeps a question and what was answered, here and in the session, which is made with the first answer.
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

    /// A mark around notes that nobody could write into a note before.
    static func fence() -> String { "=====" + String(UInt64.random(in: .min ... .max), radix: 36) + "=====" }
}
