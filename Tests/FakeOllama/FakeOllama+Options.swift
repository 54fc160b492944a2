extension FakeOllama {
    /// How the server behaves while no fault is switched on.
    public struct Options: Sendable {
        /// 0 picks a free port.
        public var port = 0
        /// Seconds before the first byte of a generation or an embedding.
        public var latency = 0.0
        /// Tokens a second; 0 sends them as fast as the client takes them.
        public var tokensPerSecond = 0.0
        /// Tokens of a generation that asks for no other number.
        public var tokens = 32
        /// The length of vectors.
        public var dimensions = 384
        /// Seconds for each text that is embedded.
        public var embedCost = 0.0
        /// The models that generate.
        public var generateModels = ["llama3.2:latest", "gemma3:270m"]
        /// The models that embed.
        public var embedModels = ["nomic-embed-text:latest", "all-minilm:latest"]
        /// The digest that all models report.
        public var digest = "sha256:0a109f422b47e3a30ba2b10eca18548e944e8a23073ee3f3e947efcf3c45e59f"

        /// The defaults.
        public init() {}
    }

    /// What happened so far.
    public struct Statistics: Sendable, Codable {
        /// Requests by path.
        public var requests: [String: Int] = [:]
        /// Requests that are being answered.
        public var inFlight = 0
        /// The most that were being answered at once.
        public var maxInFlight = 0
        /// Requests whose client left before the end.
        public var cancelled = 0
        /// Requests that were answered to the end.
        public var completed = 0
        /// Bytes of bodies that the socket took.
        public var bytesWritten = 0
        /// The latest embedding calls' numbers of texts, 1,000 at most.
        public var embedBatches: [Int] = []
        /// The last request's headers, names in lower case.
        public var lastHeaders: [String: String] = [:]
        /// The last request's body, 64 KiB at most.
        public var lastBody = ""
    }
}
