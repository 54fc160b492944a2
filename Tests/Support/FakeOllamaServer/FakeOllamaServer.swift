import ArgumentParser
import Dispatch
import FakeOllama
import Foundation

@main
struct FakeOllamaServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fake-ollama",
        abstract: "A synthetic Ollama for development, tests and demos.",
        discussion: """
            Answers Ollama's API on 127.0.0.1 with generated text and hashed vectors; no model is needed.
            Faults are switched on over HTTP:

              curl -d '["cut=5@/api/generate#3"]' localhost:PORT/_faults   (set; [] clears)
              curl localhost:PORT/_stats                                   (what it saw)

            Kinds: stall-first=SECONDS stall-mid=N:SECONDS cut=N reset=N (or rst=N) drop bad-json=N error-line=N
            giant-line=BYTES drip=BYTES:SECONDS echo status=CODE
            busy=CODE:RETRY-AFTER, each with @PATH and #COUNT.

            GET /_last is the last request as it came, /_echo the request itself.
            """)

    @Option(help: "Port to listen on; 0 picks a free one.")
    var port = 11434

    @Option(help: "Seconds before the first byte.")
    var latency = 0.0

    @Option(help: "Tokens a second; 0 is as fast as the client takes them.")
    var tokensPerSecond = 40.0

    @Option(help: "Tokens of an answer.")
    var tokens = 64

    @Option(help: "Length of vectors.")
    var dimensions = 384

    @Option(help: "Seconds for each text that is embedded.")
    var embedCost = 0.0

    @Option(help: "Seconds to load a model.")
    var loadTime = 0.0

    @Option(help: "Most models in memory; 0 is no limit.")
    var maxLoaded = 0

    @Option(help: "Most requests that one model answers at once; 0 is no limit.")
    var numParallel = 0

    @Option(help: "Most requests that wait for a model that is not loaded.")
    var maxQueue = 512

    @Option(help: "Seconds that a model stays loaded after its last request.")
    var keepAlive = 300.0

    @Option(help: "Longest context of a model.")
    var contextLength = 8192

    @Option(help: "Seconds before each line of a pull, a push or a creation.")
    var progressPause = 0.0

    @Option(help: "A model that generates; may be repeated.")
    var model: [String] = []

    @Flag(help: "Answer any host and origin, as an Ollama does that does not listen on loopback.")
    var anyHost = false

    @Flag(help: "Stop when standard input is closed.")
    var exitWithParent = false

    func run() async throws {
        var options = FakeOllama.Options()
        options.port = port
        options.latency = latency
        options.tokensPerSecond = tokensPerSecond
        options.tokens = tokens
        options.dimensions = dimensions
        options.embedCost = embedCost
        options.loadTime = loadTime
        options.maxLoaded = maxLoaded
        options.numParallel = numParallel
        options.maxQueue = maxQueue
        options.keepAlive = keepAlive
        options.contextLength = contextLength
        options.progressPause = progressPause
        options.guardsHost = !anyHost
        if !model.isEmpty { options.generateModels = model.map { $0.contains(":") ? $0 : $0 + ":latest" } }
        let server = try await FakeOllama.start(options)
        FileHandle.standardOutput.write(Data("fake-ollama listening on \(server.baseURL)\n".utf8))
        await withCheckedContinuation { continuation in
            Stop.arm(continuation, whenInputCloses: exitWithParent)
        }
        await server.shutdown()
    }
}

/// Resumes once, on the first signal or when standard input closes.
private enum Stop {
    static func arm(_ continuation: CheckedContinuation<Void, Never>, whenInputCloses: Bool) {
        let queue = DispatchQueue(label: "stop")
        let once = Once(continuation)
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { once.resume() }
            source.resume()
            once.keep(source)
        }
        guard whenInputCloses else { return }
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            queue.async { once.resume() }
        }
    }

    /// SAFETY: `@unchecked Sendable` because all of it is used on one serial queue, after it is armed.
    private final class Once: @unchecked Sendable {
        private var continuation: CheckedContinuation<Void, Never>?
        private var sources: [any DispatchSourceSignal] = []

        init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = continuation }

        func keep(_ source: any DispatchSourceSignal) { sources.append(source) }

        func resume() {
            continuation?.resume()
            continuation = nil
        }
    }
}
