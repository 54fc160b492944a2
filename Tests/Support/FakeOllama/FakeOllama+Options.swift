extension FakeOllama {
    /// The behaviour of the server without faults.
    package struct Options: Sendable {
        /// 0 picks a free port.
        package var port = 0
        /// Seconds before the first byte of a generation or an embedding.
        package var latency = 0.0
        /// Tokens a second; 0 sends them as fast as the client reads them.
        package var tokensPerSecond = 0.0
        /// The default number of tokens of a generation.
        package var tokens = 32
        /// The length of vectors.
        package var dimensions = 384
        /// Seconds for each text that is embedded.
        package var embedCost = 0.0
        package var generateModels = ["llama3.2:latest", "gemma3:270m"]
        package var embedModels = ["nomic-embed-text:latest", "all-minilm:latest"]
        /// The models that think before they answer, unless the request disables it.
        package var thinkingModels = ["qwen3:0.6b"]
        /// Models that Ollama runs on another server.
        package var cloudModels: [String] = []
        /// Such models that only `/api/tags` tells to be elsewhere.
        package var listedCloudModels: [String] = []
        /// Models that ollama.com answers for without a stub: no list has them, and `/api/show` names no other server.
        package var hostedModels: [String] = []
        /// The longest context of every model.
        package var contextLength = 8192
        /// The default context length of a loaded model.
        package var defaultContextLength = 4096
        /// Seconds to load a model: on its first use, after it was unloaded, and with another context length.
        package var loadTime = 0.0
        /// The most models in memory; 0 is no limit.
        package var maxLoaded = 0
        /// The most requests that one model answers at once; an embedding model answers one. Others wait. 0 is no
        /// limit.
        package var numParallel = 0
        /// The most requests that wait for a model that is not loaded; others get 503.
        package var maxQueue = 512
        /// Seconds that a model stays loaded after its last request.
        package var keepAlive = 300.0
        /// Seconds before each line of a pull, a push or a creation.
        package var progressPause = 0.0
        /// The steps in which a pull or a push moves its largest layer.
        package var progressSteps = 5
        /// Whether foreign hosts and origins are rejected, as by an Ollama on loopback.
        package var guardsHost = true
        /// The digest that all models report.
        package var digest = "sha256:0a109f422b47e3a30ba2b10eca18548e944e8a23073ee3f3e947efcf3c45e59f"

        /// Answers that are given before any others, in order; nil for none.
        package var script: Script?

        /// The defaults.
        package init() {}
    }

    /// Counters of the server.
    package struct Statistics: Sendable, Codable {
        /// Requests by path.
        package var requests: [String: Int] = [:]
        /// Requests that are being answered.
        package var inFlight = 0
        /// The largest number of requests answered at once.
        package var maxInFlight = 0
        /// Requests whose client left before the end.
        package var cancelled = 0
        /// Requests whose client left before the end, by phase: `upload` (a blob arrives), `answering` (no model is
        /// needed), `queued`, `loading`, `prompt` (nothing is generated yet), `streaming`.
        package var cancelledIn: [String: Int] = [:]
        /// Finished loads.
        package var loads = 0
        /// Loads that were aborted because the client that began them left.
        package var abortedLoads = 0
        /// Loads of a model that was loaded with another context length.
        package var reloads = 0
        /// Models that were unloaded.
        package var unloads = 0
        /// Loads in progress.
        package var loading = 0
        /// Requests that wait for their turn to load, or for a slot.
        package var queued = 0
        /// Requests that have a model's slot.
        package var running = 0
        /// The largest number of requests with a slot at once.
        package var maxRunning = 0
        /// Bytes of uploaded blobs.
        package var bytesUploaded = 0
        /// Requests that were answered to the end.
        package var completed = 0
        /// Bytes of bodies that the socket took.
        package var bytesWritten = 0
        /// The numbers of texts of the latest embedding calls, at most 1,000.
        package var embedBatches: [Int] = []
        /// The last request's headers, names in lower case.
        package var lastHeaders: [String: String] = [:]
        /// The last request's body, at most 64 KiB.
        package var lastBody = ""
    }

    /// A request as received.
    package struct Request: Sendable, Codable {
        /// One header; names may repeat.
        package struct Header: Sendable, Codable {
            /// The name as written.
            package var name: String
            package var value: String
        }
        package var method: String
        /// The path with its query.
        package var target: String
        /// All headers in order.
        package var headers: [Header]
        /// The body, at most 64 KiB.
        package var body: String

        /// The values of a header. Names are case-insensitive.
        package subscript(name: String) -> [String] {
            headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        }

        var json: JSON {
            let headers = headers.map { .array([.string($0.name), .string($0.value)]) as JSON }
            return [
                "method": .string(method), "target": .string(target), "headers": .array(headers), "body": .string(body),
            ]
        }
    }
}
