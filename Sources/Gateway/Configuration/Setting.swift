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

    static let host = Setting("host", default: "127.0.0.1", "address to listen on")
    static let port = Setting("port", default: "5678", "port to listen on; 0 picks a free one")
    static let database = Setting("database", default: "~/.selene/selene.sqlite", "path of the notes database")
    static let index = Setting(
        "index", default: "auto", "folder of the index files; auto puts it beside the database, off keeps none")
    static let export = Setting("export", default: nil, "folder that notes are exported to as Markdown; unset for none")
    static let apiToken = Setting("api_token", default: nil, secret: true, "a bearer token that may use every route")
    static let origins = Setting(
        "origins", default: nil,
        "web pages that may call a gateway with keys: SCHEME://HOST[:PORT] with * for any characters, or *")
    static let generateModel = Setting("generate_model", default: "llama3.2", "model for generation")
    static let embedModel = Setting("embed_model", default: "nomic-embed-text", "model for embeddings")
    static let backfill = Setting(
        "backfill", default: "auto", "whether a server embeds new notes by itself: auto or off")
    static let switchShare = Setting(
        "switch_share", default: "50", "least percent of the notes at which a job may switch to a new embedding space")
    static let ollamaHost = Setting(
        "ollama_host", environment: "OLLAMA_HOST", default: "http://127.0.0.1:11434", "where Ollama listens")
    static let upstreams = Setting(
        "upstreams", default: nil,
        "several Ollamas instead of ollama_host: NAME=ADDRESS or ADDRESS, with commas between")
    static let upstreamKeys = Setting(
        "upstream_keys", default: nil, secret: true, "bearer keys that upstreams want: NAME=KEY, with commas between")
    static let modelAliases = Setting(
        "model_aliases", default: nil, "other names for models: ALIAS=MODEL, with commas between")
    static let modelDefaults = Setting(
        "model_defaults", default: nil, "options that models are loaded with, as JSON: {\"MODEL\": {\"num_ctx\": 8192}}"
    )
    static let loadShield = Setting(
        "load_shield", default: "off", "on lets the gateway load models, so that no client's leaving ends a load")
    static let fusion = Setting("fusion", default: "convex", "default fusion: convex, convex:ALPHA, rrf, rrf:K or dbsf")
    static let connectTimeout = Setting("connect_timeout", default: "5", "seconds to reach Ollama")
    static let firstByteTimeout = Setting(
        "first_byte_timeout", default: "300", "seconds to Ollama's first byte; loading a model counts")
    static let idleTimeout = Setting("idle_timeout", default: "120", "seconds of silence within a reply")
    static let queryTimeout = Setting(
        "query_timeout", default: "15", "seconds a retrieval waits for its query's vector before it falls back")
    static let maxInFlight = Setting("max_in_flight", default: "64", "requests that Ollama has at once")
    static let maxWaiting = Setting("max_waiting", default: "256", "requests that may wait for Ollama")
    static let maxBodyBytes = Setting("max_body_bytes", default: "8388608", "largest request body")
    static let maxBodyMemory = Setting(
        "max_body_memory", default: "268435456", "bytes of request bodies in memory, all requests together")
    static let maxSpoolBytes = Setting(
        "max_spool_bytes", default: "4294967296", "bytes of large request bodies that wait on disk, beside the database"
    )
    static let minBodyRate = Setting(
        "min_body_rate", default: "1024", "bytes a second that a request body has to come with; 0 for any")
    static let clientIdleTimeout = Setting(
        "client_idle_timeout", default: "75", "seconds before an idle or stalled client connection is closed")
    static let drainTimeout = Setting("drain_timeout", default: "30", "seconds that SIGTERM waits for open requests")
    static let logLevel = Setting("log_level", default: "info", "trace, debug, info, notice, warning or error")
    static let logFormat = Setting("log_format", default: "text", "text, or json for one object on each line")
    static let logPrompts = Setting("log_prompts", default: "off", "on logs what models are asked, 8 KiB of each")
    static let tlsCertificate = Setting("tls_certificate", default: nil, "PEM file of the certificate and its chain")
    static let tlsKey = Setting("tls_key", default: nil, "PEM file of the certificate's private key")
    static let maxConnections = Setting("max_connections", default: "4096", "connections of clients at once")
    static let maxConnectionsPerAddress = Setting(
        "max_connections_per_address", default: nil, "connections of one address at once; unset for a quarter of all")
    static let headerTimeout = Setting("header_timeout", default: "15", "seconds for the head of a request to come")

    /// Every setting, in the order in which `selene config` shows them.
    public static let all: [Setting] = [
        host, port, database, index, export, apiToken, origins, generateModel, embedModel, ollamaHost,
        upstreams, upstreamKeys, modelAliases, modelDefaults, loadShield, fusion, connectTimeout,
        firstByteTimeout, idleTimeout, queryTimeout, maxInFlight, maxWaiting, maxBodyBytes, maxBodyMemory,
        maxSpoolBytes, minBodyRate, clientIdleTimeout, drainTimeout, backfill, switchShare, logLevel, logFormat,
        logPrompts, tlsCertificate, tlsKey, maxConnections, maxConnectionsPerAddress, headerTimeout,
    ]
}
