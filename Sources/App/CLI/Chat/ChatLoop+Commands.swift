import Foundation
import GatewayAPI
import GatewayClient
import Prompts

/// The `/` commands of a conversation.
extension ChatLoop {
    static let help = """
        /notes             list the passages of the last answer with their numbers
        /cite N            show passage N; what the answer cites of it is marked
        /again [QUESTION]  ask the last question again, or another one in its place, without the last answer
        /continue [RUN]    finish an interrupted answer, or attach to one in progress
        /stop [RUN]        stop the answer that is in progress elsewhere
        /runs              list the latest answers
        /kind [KIND]       list the kinds of conversation, or choose one
        /strict            count only supported sentences as the answer, or count all again
        /model [NAME]      list the models, or choose one
        /new               begin a new session
        /sessions [ID]     list the latest sessions, or continue one
        /help              show this list
        /quit              exit; so does Ctrl-D
        Ctrl-C stops an answer; a second Ctrl-C exits.
        """

    /// The pages of 500 messages in which a question is looked for.
    private static let maxPages = 40

    /// Runs a command; false to exit.
    mutating func execute(_ line: String) async throws -> Bool {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let argument = words.count > 1 ? words[1].trimmingCharacters(in: .whitespaces) : nil
        switch words[0] {
        case "/quit", "/exit": return false
        case "/help": Terminal.line(Self.help)
        case "/notes": listPassages()
        case "/cite": cite(argument)
        case "/again": try await again(argument)
        case "/continue": try await `continue`(argument)
        case "/stop": try await stop(argument)
        case "/runs": try await listRuns()
        case "/kind": choose(kind: argument)
        case "/strict":
            options.isStrict.toggle()
            Terminal.line(options.isStrict ? "strict: only supported sentences count" : "all sentences count")
        case "/model": try await choose(model: argument)
        case "/new":
            (session, last) = (nil, nil)
            Terminal.line("a new session")
        case "/sessions": try await choose(session: argument)
        default: Terminal.line("unknown command \(words[0]); /help lists the commands")
        }
        return true
    }

    // MARK: Passages

    private func listPassages() {
        let passages = last?.record?.passages ?? []
        if passages.isEmpty { Terminal.line("the last answer had no notes") }
        for passage in passages { Terminal.line(PassageText.listed(passage)) }
    }

    private func cite(_ argument: String?) {
        guard let last, let passage = last.record?.passages.first(where: { String($0.number) == argument }) else {
            return Terminal.line("expected the number of a passage, as in /cite 1; /notes lists them")
        }
        Terminal.line(PassageText.cited(passage, in: last))
    }

    // MARK: Runs

    /// Asks from before the last question; the earlier answer stays in the session as another branch.
    private mutating func again(_ question: String?) async throws {
        guard let last else { return Terminal.line("there is no question to ask again") }
        guard let asked = try await message(last.userMessage, of: last.session) else {
            return Terminal.line("the last question is no longer in the session")
        }
        try await ask(question ?? last.question, parent: asked.parent.map { .set($0) } ?? .clear)
    }

    private func message(_ id: Int64?, of session: String) async throws -> Message? {
        var page = PageRequest.first(500)
        for _ in 0..<Self.maxPages {
            let reply = try await data.messages(ofSession: session, page)
            if let found = reply.messages.first(where: { $0.id == id }) { return found }
            guard let next = reply.nextCursor else { return nil }
            page.cursor = next
        }
        return nil
    }

    private mutating func `continue`(_ id: String?) async throws {
        guard let run = try await find(id, running: false) else {
            return Terminal.line("there is no answer to continue")
        }
        switch run.state {
        case .interrupted: try await follow(try await chat.continue(run.id))
        case .done, .failed, .stopped:
            Terminal.line("the answer is \(run.state.rawValue); only an interrupted one continues")
        default: try await follow(run)
        }
    }

    private func stop(_ id: String?) async throws {
        guard let run = try await find(id, running: true) else { return Terminal.line("no answer is in progress") }
        Terminal.line("\(run.id) is \(try await chat.stop(run.id).state.rawValue)")
    }

    /// The run with an id, or the latest one of the session.
    private func find(_ id: String?, running: Bool) async throws -> ChatRun? {
        if let id { return try await chat.run(id) }
        guard let session else { return nil }
        return try await chat.runs(session: session, running: running, .first(1)).runs.first
    }

    private func listRuns() async throws {
        let runs = try await chat.runs(.first(20)).runs
        if runs.isEmpty { Terminal.line("there are no answers") }
        for run in runs {
            let mark = run.session == session ? "*" : " "
            let about = "\(run.id)  \(run.createdAt.prefix(16))  \(run.state.rawValue)"
            Terminal.line("\(mark) \(SafeText(oneLine: about))  \(PassageText.quoted(run.question[...]))")
        }
    }

    // MARK: Choices

    private mutating func choose(kind name: String?) {
        guard let name else {
            for kind in ChatKind.allCases {
                Terminal.line("\(kind == options.kind ?? .ask ? "*" : " ") \(kind.rawValue)")
            }
            return
        }
        guard let kind = ChatKind(rawValue: name) else {
            return Terminal.line("unknown kind \(name); /kind lists the kinds")
        }
        guard !kind.needsThread || options.scope?.thread?.values.isEmpty == false else {
            return Terminal.line("\(name) needs a thread: start again with --thread")
        }
        guard kind.needsBook == (options.scope?.book != nil) else {
            return Terminal.line(
                kind.needsBook ? "book needs a book: start again with --book" : "this chat is about a book: start again"
            )
        }
        options.kind = kind
        Terminal.line("kind \(name)")
    }

    private mutating func choose(model name: String?) async throws {
        if let name {
            options.model = name
            Terminal.line("model \(name)")
        } else {
            for model in try await llm.models().models { Terminal.line(model.name) }
        }
    }

    private mutating func choose(session id: String?) async throws {
        if let id {
            let known = try await data.session(id)
            session = id
            Terminal.line("session \(id), \(known.messageCount) messages")
            return try await attach()
        }
        for known in try await data.sessions(.first(20)).sessions {
            let mark = known.id == session ? "*" : " "
            let about = "\(known.id)  \((known.updatedAt ?? "").prefix(16))"
            Terminal.line("\(mark) \(about)  \(SafeText(oneLine: known.title))")
        }
    }
}
