import ArgumentParser
import FakeProviders
import Foundation

@main
struct FakeProvidersServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fake-providers",
        abstract: "A synthetic provider with OpenAI's and Anthropic's APIs, for development and tests.",
        discussion: """
            Answers /v1/chat/completions, /v1/embeddings, /v1/rerank, /v1/messages and /v1/models on 127.0.0.1 with \
            generated text.
            Faults are those of fake-ollama, with events in place of lines, and are switched on over HTTP:

              curl -d '["busy=429:1@/v1/messages#1"]' localhost:PORT/_faults   (set; [] clears)
            """)

    @Option(help: "Port to listen on; 0 picks a free one.")
    var port = 0

    @Option(help: "The only accepted key.")
    var key = FakeProvider.Options().key ?? ""

    @Option(help: "Seconds before each token.")
    var tokenPause = 0.0

    func run() async throws {
        var options = FakeProvider.Options()
        (options.port, options.key, options.tokenPause) = (port, key, tokenPause)
        let server = try await FakeProvider.start(options)
        FileHandle.standardOutput.write(Data("fake-providers listening on \(server.baseURL)\n".utf8))
        // The signals SIGTERM and SIGINT end the process.
        while true { try await Task.sleep(for: .seconds(3600)) }
    }
}
