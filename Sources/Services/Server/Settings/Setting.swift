/// One thing that can be configured: its names, its default and what it is for.
///
/// The table ``Setting/all`` is the only list: loading, `selene config` and the check for unknown keys read it.
public struct Setting: Sendable, Hashable {
    /// The key in the configuration file, for example `generate_model`.
    public let key: String
    /// The environment variable, for example `SELENE_GENERATE_MODEL`.
    public let environment: String
    /// The default as text; nil when the setting has none.
    public let fallback: String?
    /// What the setting does, in one line.
    public let summary: String
    /// Whether the value is masked wherever it is shown.
    public let isSecret: Bool

    init(_ key: String, environment: String? = nil, default fallback: String?, secret: Bool = false, _ summary: String)
    {
        self.key = key
        self.environment = environment ?? "SELENE_" + key.uppercased()
        self.fallback = fallback
        self.summary = summary
        self.isSecret = secret
    }

    package static let host = Setting("host", default: "127.0.0.1", "address to listen on")
    package static let port = Setting("port", default: "5678", "port to listen on; 0 picks a free one")
    package static let database = Setting("database", default: "~/.selene/selene.sqlite", "path of the notes database")
    package static let index = Setting(
        "index", default: "auto", "folder of the index files; auto puts it beside the database, off keeps none")
    package static let export = Setting(
        "export", default: nil, "folder that notes are exported to as Markdown; unset for none")
    package static let apiToken = Setting(
        "api_token", default: nil, secret: true, "a bearer token that may use every route")
    package static let origins = Setting(
        "origins", default: nil,
        "web pages that may call a gateway with keys: SCHEME://HOST[:PORT] with * for any characters, or *")
    package static let generateModel = Setting("generate_model", default: "llama3.2", "model for generation")
    package static let embedModel = Setting("embed_model", default: "nomic-embed-text", "model for embeddings")
    package static let backfill = Setting(
        "backfill", default: "auto", "whether a server embeds new notes by itself: auto or off")
    package static let switchShare = Setting(
        "switch_share", default: "50", "least percent of the notes at which a job may switch to a new embedding space")
    package static let ollamaHost = Setting(
        "ollama_host", environment: "OLLAMA_HOST", default: "http://127.0.0.1:11434", "where Ollama listens")
    package static let upstreams = Setting(
        "upstreams", default: nil,
        "several Ollamas instead of ollama_host: NAME=ADDRESS or ADDRESS, with commas between")
    package static let upstreamKeys = Setting(
        "upstream_keys", default: nil, secret: true, "bearer keys that upstreams want: NAME=KEY, with commas between")
    package static let modelAliases = Setting(
        "model_aliases", default: nil, "other names for models: ALIAS=MODEL, with commas between")
    package static let modelDefaults = Setting(
        "model_defaults", default: nil, "options that models are loaded with, as JSON: {\"MODEL\": {\"num_ctx\": 8192}}"
    )
    package static let loadShield = Setting(
        "load_shield", default: "off", "on lets the gateway load models, so that no client's leaving ends a load")
    package static let fusion = Setting(
        "fusion", default: "convex", "default fusion: convex, convex:ALPHA, rrf, rrf:K or dbsf")
    package static let connectTimeout = Setting("connect_timeout", default: "5", "seconds to reach Ollama")
    package static let firstByteTimeout = Setting(
        "first_byte_timeout", default: "300", "seconds to Ollama's first byte; loading a model counts")
    package static let idleTimeout = Setting("idle_timeout", default: "120", "seconds of silence within a reply")
    package static let queryTimeout = Setting(
        "query_timeout", default: "15", "seconds a retrieval waits for its query's vector before it falls back")
    package static let maxInFlight = Setting("max_in_flight", default: "64", "requests that Ollama has at once")
    package static let maxWaiting = Setting("max_waiting", default: "256", "requests that may wait for Ollama")
    package static let maxBodyBytes = Setting("max_body_bytes", default: "8388608", "largest request body")
    package static let maxBodyMemory = Setting(
        "max_body_memory", default: "268435456", "bytes of request bodies in memory, all requests together")
    package static let maxSpoolBytes = Setting(
        "max_spool_bytes", default: "4294967296", "bytes of large request bodies that wait on disk, beside the database"
    )
    package static let minBodyRate = Setting(
        "min_body_rate", default: "1024", "bytes a second that a request body has to come with; 0 for any")
    package static let clientIdleTimeout = Setting(
        "client_idle_timeout", default: "75", "seconds before an idle or stalled client connection is closed")
    package static let drainTimeout = Setting(
        "drain_timeout", default: "30", "seconds that SIGTERM waits for open requests")
    package static let logLevel = Setting("log_level", default: "info", "trace, debug, info, notice, warning or error")
    package static let logFormat = Setting("log_format", default: "text", "text, or json for one object on each line")
    package static let logPrompts = Setting(
        "log_prompts", default: "off", "on logs what models are asked, 8 KiB of each")
    package static let tlsCertificate = Setting(
        "tls_certificate", default: nil, "PEM file of the certificate and its chain")
    package static let tlsKey = Setting("tls_key", default: nil, "PEM file of the certificate's private key")
    package static let maxConnections = Setting("max_connections", default: "4096", "connections of clients at once")
    package static let maxConnectionsPerAddress = Setting(
        "max_connections_per_address", default: nil, "connections of one address at once; unset for a quarter of all")
    package static let headerTimeout = Setting(
        "header_timeout", default: "15", "seconds for the head of a request to come")

    /// Every setting, in the order in which `selene config` shows them.
    public static let all: [Setting] = [
        host, port, database, index, export, apiToken, origins, generateModel, embedModel, ollamaHost,
        upstreams, upstreamKeys, modelAliases, modelDefaults, loadShield, fusion, connectTimeout,
        firstByteTimeout, idleTimeout, queryTimeout, maxInFlight, maxWaiting, maxBodyBytes, maxBodyMemory,
        maxSpoolBytes, minBodyRate, clientIdleTimeout, drainTimeout, backfill, switchShare, logLevel, logFormat,
        logPrompts, tlsCertificate, tlsKey, maxConnections, maxConnectionsPerAddress, headerTimeout,
    ]
}
