import Foundation
import GatewayAPI
import GatewayClient
import Prompts

/// The `/` commands of the playground.
extension PlaygroundLoop {
    static let help = """
        TEXT                    ask your notes; a \\ at the end of a line continues the text on the next
        /prompts [KIND]         list the prompts of the library
        /show ID                show a prompt
        /use ID [NAME=VALUE …]  ask with a prompt
        /tools [NAME]           list the tools, or show the arguments of one
        /tool NAME [ARGUMENTS]  call a tool; arguments as NAME=VALUE … or as a JSON object
        /private                leave private notes out of results, or show them again
        /history                list what was asked and called, with figures
        /again [N]              do the last entry again, or entry N
        /notes                  list the passages of the last answer
        /cite N                 show passage N; what the answer cites of it is marked
        /model [NAME]           list the models, or choose one
        /kind [KIND]            list the kinds of conversation, or choose one for your own prompts
        /talk                   let prompts follow each other as a conversation, or stand alone again
        /clear                  forget the history and begin anew
        /help                   show this list
        /quit                   exit; so does Ctrl-D
        Ctrl-C stops an answer; a second Ctrl-C exits.
        """

    /// Runs a command; false to exit.
    mutating func execute(_ line: String) async throws -> Bool {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let argument = words.count > 1 ? words[1].trimmingCharacters(in: .whitespaces) : nil
        switch words[0] {
        case "/quit", "/exit": return false
        case "/help": Terminal.line(Self.help)
        case "/prompts": PromptList.write(try await prompts.prompts(kind: argument).prompts)
        case "/show":
            let prompt = try await prompts.prompt(try Self.needed(argument, "the id of a prompt; /prompts lists them"))
            guard let document = try? PromptDocument(prompt) else { throw PlaygroundError(message: "unknown kind") }
            Terminal.write(document.text)
        case "/use": try await use(try Self.needed(argument, "the id of a prompt; /prompts lists them"))
        case "/tools": try await showTools(argument)
        case "/tool": try await callTool(try Self.needed(argument, "the name of a tool; /tools lists them"))
        case "/private":
            withholdsPrivate.toggle()
            Terminal.line(withholdsPrivate ? "private notes are left out" : "private notes are shown")
        case "/history": listHistory()
        case "/again": try await again(argument)
        case "/notes", "/cite": showPassages(words[0] == "/cite" ? argument ?? "" : nil)
        case "/model": try await choose(model: argument)
        case "/kind": try choose(kind: argument)
        case "/talk":
            isConversation.toggle()
            Terminal.line(isConversation ? "prompts follow each other" : "each prompt stands alone")
        case "/clear":
            clear()
            Terminal.line("cleared")
        default: Terminal.line("unknown command \(words[0]); /help lists the commands")
        }
        return true
    }

    private static func needed(_ argument: String?, _ what: String) throws -> String {
        guard let argument, !argument.isEmpty else { throw PlaygroundError(message: "expected \(what)") }
        return argument
    }

    // MARK: Prompts

    private mutating func use(_ argument: String) async throws {
        let words = try Self.words(argument)
        let rendered = try await prompts.render(words[0], try Self.pairs(words.dropFirst()))
        Terminal.line(Terminal.dim(SafeText(rendered.text)))
        try await ask(rendered.text, name: rendered.id, ChatOptions(rendered))
    }

    private mutating func again(_ argument: String?) async throws {
        let number = argument.map { Int($0) ?? 0 } ?? history.count
        guard history.indices.contains(number - 1) else {
            throw PlaygroundError(message: history.isEmpty ? "the history is empty" : "expected 1 to \(history.count)")
        }
        switch history[number - 1].action {
        case .question(let question, let name, let options): try await ask(question, name: name, options)
        case .call(let tool, let arguments): try await call(tool, arguments)
        }
    }

    private func listHistory() {
        if history.isEmpty { Terminal.line("the history is empty") }
        for (number, entry) in history.enumerated() {
            let what: SafeText
            switch entry.action {
            case .question(let question, let name, _):
                what = "\(SafeText(oneLine: "\(name) · \(entry.model ?? "")"))  \(PassageText.quoted(question[...]))"
            case .call(let tool, let arguments):
                let json = String(decoding: Self.json(arguments), as: UTF8.self)
                what = SafeText(oneLine: "\(tool) \(json)")
            }
            Terminal.line("\(number + 1)  \(what)  \(Terminal.dim(SafeText(oneLine: entry.figures)))")
        }
    }

    private func showPassages(_ number: String?) {
        let passages = last?.record?.passages ?? []
        if let number {
            guard let last, let passage = passages.first(where: { String($0.number) == number }) else {
                return Terminal.line("expected the number of a passage, as in /cite 1; /notes lists them")
            }
            return Terminal.line(PassageText.cited(passage, in: last))
        }
        if passages.isEmpty { Terminal.line("the last answer had no notes") }
        for passage in passages { Terminal.line(PassageText.listed(passage)) }
    }

    // MARK: Tools

    private func showTools(_ name: String?) async throws {
        let tools = try await prompts.tools().tools
        if let name {
            guard let tool = tools.first(where: { $0.name == name }) else {
                throw PlaygroundError(message: "there is no tool \(name); /tools lists them")
            }
            Terminal.line("\(tool.name): \(tool.summary)")
            for line in Self.arguments(of: tool) { Terminal.line(line) }
            return
        }
        let width = tools.map(\.name.count).max() ?? 0
        for tool in tools { Terminal.line(SafeText(oneLine: "\(tool.name.padded(to: width))  \(tool.summary)")) }
    }

    /// A line for each argument of a tool: name, type, whether it is needed, meaning.
    private static func arguments(of tool: ToolDescription) -> [SafeText] {
        guard case .object(let schema) = tool.arguments, case .object(let properties)? = schema["properties"] else {
            return []
        }
        var required: Set<String> = []
        if case .array(let names)? = schema["required"] {
            for case .string(let name) in names { required.insert(name) }
        }
        return properties.sorted { $0.key < $1.key }.map { name, schema in
            guard case .object(let fields) = schema else { return SafeText(oneLine: "  \(name)") }
            func text(_ field: String) -> String? {
                if case .string(let text)? = fields[field] { text } else { nil }
            }
            let state = required.contains(name) ? "required" : "optional"
            return SafeText(
                oneLine: "  \(name)  \(text("type") ?? "any"), \(state)  \(text("description") ?? "")")
        }
    }

    private mutating func callTool(_ argument: String) async throws {
        let parts = argument.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        guard rest.hasPrefix("{") else {
            let pairs = try Self.pairs(try Self.words(rest)[...])
            return try await call(parts[0], .object(pairs.mapValues { .string($0) }))
        }
        guard let arguments = try? JSONDecoder().decode(JSONValue.self, from: Data(rest.utf8)) else {
            throw PlaygroundError(message: "the arguments are not a JSON object")
        }
        try await call(parts[0], arguments)
    }

    // MARK: Choices

    private mutating func choose(model name: String?) async throws {
        if let name {
            options.model = name
            Terminal.line("model \(name)")
        } else {
            for model in try await llm.models().models { Terminal.line(model.name) }
        }
    }

    private mutating func choose(kind name: String?) throws {
        guard let name else {
            for kind in ChatKind.allCases where !kind.needsThread {
                Terminal.line("\(kind == options.kind ?? .ask ? "*" : " ") \(kind.rawValue)")
            }
            return
        }
        guard let kind = ChatKind(rawValue: name), !kind.needsThread else {
            throw PlaygroundError(message: "there is no kind \(name) here; /kind lists the kinds")
        }
        options.kind = kind
        Terminal.line("kind \(name)")
    }

    // MARK: Reading

    /// Splits a line at spaces outside of double quotes.
    static func words(_ line: String) throws -> [String] {
        var (words, word, isQuoted, hasWord) = ([String](), "", false, false)
        for character in line {
            if character == "\"" {
                isQuoted.toggle()
                hasWord = true
            } else if character.isWhitespace, !isQuoted {
                if hasWord { words.append(word) }
                (word, hasWord) = ("", false)
            } else {
                word.append(character)
                hasWord = true
            }
        }
        guard !isQuoted else { throw PlaygroundError(message: "a \" is not closed") }
        if hasWord { words.append(word) }
        return words
    }

    private static func pairs(_ words: ArraySlice<String>) throws -> [String: String] {
        var pairs: [String: String] = [:]
        for word in words {
            guard let sign = word.firstIndex(of: "="), sign > word.startIndex else {
                throw PlaygroundError(message: "expected NAME=VALUE, got \(word)")
            }
            pairs[String(word[..<sign])] = String(word[word.index(after: sign)...])
        }
        return pairs
    }
}
