import ChatRoom
import GatewayAPI
import Inference
import Storage

/// A conversation that a client's program keeps and sends again with each question: finds the session that began with it.
struct ResentConversation: Sendable {
    /// The answers that are looked for, from the last one back, and the runs that are compared with each.
    private static let (answers, candidates) = (4, 8)

    let room: AnswerRoom
    let key: Int64?

    /// Where a question goes on.
    struct Place: Sendable, Hashable {
        var session: String?
        /// The answer that it follows; nil at the beginning.
        var parent: Int64?
        /// The messages behind that answer, which the gateway does not have.
        var rest: ArraySlice<EarlierMessage>
    }

    /// Finds the session with the longest beginning of the messages before a question.
    ///
    /// - Throws: ``StorageError``.
    func place(after messages: [EarlierMessage]) async throws -> Place {
        var looked = 0
        for end in messages.indices.reversed() where end > 0 {
            guard !messages[end].isUser, messages[end - 1].isUser else { continue }
            guard looked < Self.answers else { break }
            looked += 1
            let question = messages[end - 1].text
            for answer in try await room.answers(to: question, of: key, limit: Self.candidates)
            where Self.isSame(answer, messages[end].text) {
                let stored = try await room.history(through: answer.message, of: answer.session)
                guard try await isSame(stored, messages[...end]) else { continue }
                return Place(session: answer.session, parent: answer.message, rest: messages[(end + 1)...])
            }
        }
        return Place(session: nil, parent: nil, rest: messages[...])
    }

    /// The interrupted run that waits for the results of calls; nil for none.
    ///
    /// - Parameters:
    ///   - messages: The messages before the question.
    ///   - calls: The calls of the client's tools.
    ///   - choice: What the run must be.
    /// - Throws: ``ModelRequestFault`` when only a run of another model waits, which may have seen what this one must not;
    ///   ``StorageError``.
    func waiting(
        for calls: [ChatCall], about question: String, after messages: [EarlierMessage],
        of choice: NotesModels.Choice
    ) async throws -> String? {
        var isOfAnother = false
        for run in try await room.interrupted(asking: question, of: key, limit: Self.candidates) {
            let waiting = run.record.tools.filter { $0.state == .running }
            guard waiting.count == calls.count,
                zip(waiting, calls).allSatisfy({ $0.name == $1.name && $0.arguments == $1.arguments })
            else { continue }
            let stored = try await room.history(through: run.userMessage, of: run.session)
            guard try await isSame(stored.dropLast(), messages[...]) else { continue }
            let options = RunPlan.Options(stored: run.request)
            if run.model == choice.model, options.chatKind == choice.kind, options.scope == choice.scope {
                return run.id
            }
            isOfAnother = true
        }
        guard !isOfAnother else {
            throw ModelRequestFault("model", "the calls are another model's; send their results to it, or ask anew")
        }
        return nil
    }

    private func isSame(_ stored: some Collection<Message>, _ sent: ArraySlice<EarlierMessage>) async throws -> Bool {
        guard stored.count == sent.count else { return false }
        for (message, other) in zip(stored, sent) {
            guard message.role == other.role else { return false }
            guard !other.isUser, let id = message.run else {
                guard message.content.isSameText(as: other.text) else { return false }
                continue
            }
            let isCut = try await room.find(id)?.state != .done
            guard Self.isSame(message.content, other.text, isCut: isCut) else { return false }
        }
        return true
    }

    private static func isSame(_ answer: PastAnswer, _ sent: String) -> Bool {
        isSame(answer.text, sent, isCut: answer.isCut)
    }

    /// Whether a client sent an answer as it got it: with the list of sources behind it, or cut where the client stopped.
    static func isSame(_ text: String, _ sent: String, isCut: Bool) -> Bool {
        let answer = sent.ranges(of: AnswerSources.heading).last.map { String(sent[..<$0.lowerBound]) } ?? sent
        if text.isSameText(as: answer) || text.isSameText(as: sent) { return true }
        return isCut && !answer.trimmed.isEmpty && text.trimmed.hasPrefix(answer.trimmed)
    }
}

extension String {
    /// Whether two texts differ in nothing but the white space around them, which some clients cut.
    fileprivate func isSameText(as other: String) -> Bool { trimmed == other.trimmed }

    fileprivate var trimmed: Substring {
        let rest = drop(while: \.isWhitespace)
        guard let last = rest.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return rest[...last]
    }
}
