import GatewayAPI
import GatewayClient
import Prompts

/// The part of the demo that runs once the gateway listens.
struct DemoScript {
    let client: DemoClient
    let upstreamIsSynthetic: Bool

    func run() async throws {
        Terminal.line(Terminal.bold("4. The gateway listens on ") + "http://127.0.0.1:\(client.port)")
        Terminal.line(Terminal.bold("5. Three retrievals"))
        try await show(
            "why do I lie awake at night", "by meaning and by word",
            RetrieveRequest(query: "why do I lie awake at night", limit: 3, explain: true))
        try await show(
            "glue, ribs and paint for the dinghy", "only notes of type decision",
            RetrieveRequest(
                query: "glue, ribs and paint for the dinghy", limit: 3, noteType: "decision", explain: true))
        try await show(
            "50%", "a literal pattern, without a vector",
            RetrieveRequest(query: "50%", limit: 3, mode: .keyword, explain: true))
        try await answer("How do I keep the tide gauge's sensor from drifting?")
        try await DemoBook(connection: GatewayConnection("http://127.0.0.1:\(client.port)")).run()
    }

    private func show(_ query: String, _ remark: String, _ request: RetrieveRequest) async throws {
        Terminal.line("\n   \(Terminal.bold("“\(query)”"))  \(Terminal.dim("\(remark)"))")
        Terminal.line(ResultText.of(try await client.retrieve(request)).indented(by: 3))
    }

    private func answer(_ question: String) async throws {
        let found = try await client.retrieve(RetrieveRequest(query: question, limit: 4))
        let prompt = try Prompts().answer(
            question: question,
            notes: found.results.map {
                .init(title: $0.note.title, date: String($0.note.createdAt.prefix(10)), content: $0.note.content)
            })
        let remark = upstreamIsSynthetic ? "synthetic" : "streamed from Ollama"
        Terminal.line("\n\(Terminal.bold("6. An answer from the notes"))  \(Terminal.dim("\(remark)"))")
        Terminal.line("   \(Terminal.bold("\(question)"))")
        Terminal.write("   ")
        try await client.generate(prompt) { Terminal.write(SafeText($0)) }
        Terminal.line()
        for (index, result) in found.results.enumerated() {
            Terminal.line(Terminal.dim("   [\(index + 1)] \(SafeText(oneLine: result.note.title))"))
        }
    }

    /// Prints commands to try while the server runs.
    static func printInvitation(port: Int) {
        let base = "http://127.0.0.1:\(port)"
        Terminal.line(
            """

            \(Terminal.bold("8. Open")) \(base)/ \(Terminal.bold("in a browser")), or try (Ctrl-C ends the demo)
               selene chat --url \(base) "How do I keep the tide gauge's sensor from drifting?"
               curl \(base)/health
               curl \(base)/api/llm/health
               curl \(base)/api/notes/retrieve -d '{"query":"what did the sea teach me","limit":3,"explain":true}'
               curl \(base)/api/llm/embed -d '{"text":"a spring tide","kind":"query"}'
               curl -N \(base)/api/llm/generate -d '{"prompt":"Say hello","stream":true}'
            """)
    }
}
