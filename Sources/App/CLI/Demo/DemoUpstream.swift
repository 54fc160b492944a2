import Foundation
import Gateway
import Inference
import LLM
import Logging
import Transport

/// The Ollama that a demo uses: the real one if it answers and can embed, else the synthetic one beside this binary.
struct DemoUpstream {
    let baseURL: String
    let embedModel: String
    let generateModel: String
    let isSynthetic: Bool
    let description: String
    private let process: Process?

    static func open(_ configuration: GatewayConfiguration) async throws -> DemoUpstream {
        let transport = try UpstreamTransport(configuration: configuration.llm.upstream)
        let health = await OllamaUpstream(transport: transport).health(timeout: .seconds(3))
        await transport.shutdown(within: .zero)
        let place = configuration.llm.upstream.baseURL
        guard health.available else {
            return try synthetic(because: "no answer at \(place)")
        }
        func holds(_ model: String) -> Bool {
            health.models.contains(model) || health.models.contains(model + ":latest")
        }
        let isEmbedder = { (name: String) in
            ["embed", "minilm", "bge-", "e5-"].contains { name.contains($0) }
        }
        let embedder =
            holds(configuration.llm.embedModel)
            ? configuration.llm.embedModel : health.models.first(where: isEmbedder)
        let generator =
            holds(configuration.llm.generateModel)
            ? configuration.llm.generateModel : health.models.first { !isEmbedder($0) }
        guard let embedder, let generator else {
            return try synthetic(
                because: "\(place) lacks a model; try: ollama pull \(configuration.llm.embedModel) and "
                    + "ollama pull \(configuration.llm.generateModel)")
        }
        return DemoUpstream(
            baseURL: place, embedModel: embedder, generateModel: generator, isSynthetic: false,
            description: "version \(health.version ?? "?") at \(place), \(embedder) and \(generator)", process: nil)
    }

    /// Starts the synthetic Ollama, which exits with this process.
    private static func synthetic(because reason: String) throws -> DemoUpstream {
        let own = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
        let binary = own.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "fake-ollama")
        guard FileManager.default.isExecutableFile(atPath: binary.path) else {
            throw UpstreamError(
                .refused,
                "no usable Ollama (\(reason)); install Ollama and run: ollama pull nomic-embed-text, ollama pull "
                    + "llama3.2. With the source code, make demo needs no Ollama: it builds a synthetic one")
        }
        let process = Process()
        process.executableURL = binary
        process.arguments = ["--port", "0", "--exit-with-parent", "--tokens-per-second", "60"]
        process.standardInput = Pipe()
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let start = line.range(of: "http://") else {
            process.terminate()
            throw UpstreamError(.refused, "the synthetic Ollama did not start")
        }
        let address = String(line[start.lowerBound...].prefix { !$0.isWhitespace })
        return DemoUpstream(
            baseURL: address, embedModel: "nomic-embed-text", generateModel: "llama3.2", isSynthetic: true,
            description: "\(reason); using a SYNTHETIC one: its vectors are hashed words, and its answers are "
                + "sentences from the notes", process: process)
    }

    /// Stops the synthetic Ollama.
    func close() {
        process?.terminate()
        process?.waitUntilExit()
    }
}
