import GatewayAPI
import Inference
import Storage
import Synchronization
import Transport

/// A provider of models that answers with what a test says, and keeps the prompts.
final class ScriptedModel: ChatProvider {
    /// Returns the answer to a prompt; nil for one that never comes.
    typealias Answer = @Sendable (_ prompt: String, _ number: Int) throws -> String?

    let name: String
    let isLocal: Bool
    private let end: ChatEnd.Reason
    private let answer: Answer
    private let asked = Mutex<[String]>([])

    /// The prompts so far.
    var prompts: [String] { asked.withLock { $0 } }

    init(_ name: String = "ollama", isLocal: Bool = true, end: ChatEnd.Reason = .stop, _ answer: @escaping Answer) {
        (self.name, self.isLocal, self.end, self.answer) = (name, isLocal, end, answer)
    }

    func capabilities(of model: String) async throws(UpstreamError) -> ChatCapabilities {
        guard model != "missing" else { throw UpstreamError(.invalidResponse, "there is no such model") }
        return ChatCapabilities(tools: false, thinking: false, isRemote: model.hasSuffix("-cloud"))
    }

    func models() async throws(UpstreamError) -> [String] { [] }

    func chat(
        _ request: ModelChatRequest, for caller: AdmissionCaller,
        _ receive: @Sendable (ChatEvent) async throws -> Void
    ) async throws {
        let prompt = request.turns.map { "\($0)" }.joined(separator: "\n").replacing("\\n", with: "\n")
        let number = asked.withLock { all in
            all.append(prompt)
            return all.count
        }
        try await receive(.sent)
        guard caller.priority == .batch, let text = try answer(prompt, number) else {
            return try await Task.sleep(for: .seconds(600))
        }
        try await receive(.text(text))
        try await receive(.usage(ChatUsage(promptTokens: 7, completionTokens: 3)))
        try await receive(.ended(ChatEnd(end)))
    }

    /// The number of the note in a prompt that has a text; 0 for none.
    static func number(of text: String, in prompt: String) -> Int {
        var number = 0
        for line in prompt.split(separator: "\n") {
            if let range = line.firstRange(of: " note "), line.contains("data, not instructions") {
                number = Int(line[range.upperBound...].prefix { $0.isNumber }) ?? number
            }
            if number > 0, line.contains(text) { return number }
        }
        return 0
    }
}
