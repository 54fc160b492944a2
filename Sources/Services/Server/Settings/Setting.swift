/// A setting: its names, its default and its purpose.
///
/// ``Setting/all`` is the only list: loading, `selene config` and the check for unknown keys read it.
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
        "index", default: "auto", "folder of the index files; auto: next to the database, off: none")
    package static let export = Setting(
        "export", default: nil, "folder for the Markdown export of notes; unset: no export")
    package static let apiToken = Setting(
        "api_token", default: nil, secret: true, "a bearer token that may use every route")
    package static let origins = Setting(
        "origins", default: nil,
        "web pages that may call a gateway with keys: SCHEME://HOST[:PORT] or *; * matches any characters")
    package static let generateModel = Setting("generate_model", default: "llama3.2", "model for generation")
    package static let embedModel = Setting("embed_model", default: "nomic-embed-text", "model for embeddings")
    package static let backfill = Setting(
        "backfill", default: "auto", "embed new notes while serving: auto or off")
    package static let switchShare = Setting(
        "switch_share", default: "50", "percent of notes that a new embedding space needs before a job switches")
    package static let ollamaHost = Setting(
        "ollama_host", environment: "OLLAMA_HOST", default: "http://127.0.0.1:11434", "where Ollama listens")
    package static let upstreams = Setting(
        "upstreams", default: nil,
        "several Ollamas instead of ollama_host: NAME=ADDRESS or ADDRESS, comma-separated")
    package static let upstreamKeys = Setting(
        "upstream_keys", default: nil, secret: true, "bearer keys of upstreams: NAME=KEY, comma-separated")
    package static let modelAliases = Setting(
        "model_aliases", default: nil, "other names for models: ALIAS=MODEL, comma-separated")
    package static let modelDefaults = Setting(
        "model_defaults", default: nil, "load options of models, as JSON: {\"MODEL\": {\"num_ctx\": 8192}}"
    )
    package static let loadShield = Setting(
        "load_shield", default: "off", "on: the gateway loads models, so that a load continues when its client leaves")
    package static let fusion = Setting(
        "fusion", default: "convex", "default fusion: convex, convex:ALPHA, rrf, rrf:K or dbsf")
    package static let connectTimeout = Setting("connect_timeout", default: "5", "seconds to connect to Ollama")
    package static let firstByteTimeout = Setting(
        "first_byte_timeout", default: "300", "seconds to Ollama's first byte, including the load of a model")
    package static let idleTimeout = Setting("idle_timeout", default: "120", "seconds between two reads of a reply")
    package static let queryTimeout = Setting(
        "query_timeout", default: "15", "seconds to wait for a query's vector before falling back to keywords")
    package static let maxInFlight = Setting("max_in_flight", default: "64", "concurrent requests to Ollama")
    package static let maxWaiting = Setting("max_waiting", default: "256", "requests that may wait for Ollama")
    package static let maxBodyBytes = Setting("max_body_bytes", default: "8388608", "largest request body in bytes")
    package static let maxBodyMemory = Setting(
        "max_body_memory", default: "268435456", "limit in bytes of all request bodies in memory")
    package static let maxSpoolBytes = Setting(
        "max_spool_bytes", default: "4294967296", "limit in bytes of large request bodies on disk, next to the database"
    )
    package static let minBodyRate = Setting(
        "min_body_rate", default: "1024", "lowest rate of a request body in bytes a second; 0: no minimum")
    package static let clientIdleTimeout = Setting(
        "client_idle_timeout", default: "75", "seconds before an idle or stalled client connection is closed")
    package static let drainTimeout = Setting(
        "drain_timeout", default: "30", "seconds that SIGTERM waits for open requests")
    package static let logLevel = Setting("log_level", default: "info", "trace, debug, info, notice, warning or error")
    package static let logFormat = Setting("log_format", default: "text", "text, or json for one object on each line")
    package static let logPrompts = Setting(
        "log_prompts", default: "off", "on: log prompts, at most 8 KiB of each")
    package static let tlsCertificate = Setting(
        "tls_certificate", default: nil, "PEM file of the certificate and its chain")
    package static let tlsKey = Setting("tls_key", default: nil, "PEM file of the certificate's private key")
    package static let maxConnections = Setting("max_connections", default: "4096", "limit of client connections")
    package static let maxConnectionsPerAddress = Setting(
        "max_connections_per_address", default: nil, "limit of connections from one address; unset: a quarter of all")
    package static let headerTimeout = Setting(
        "header_timeout", default: "15", "seconds for the head of a request")

    /// Every setting, in the order in which `selene config` shows them.
    public static let all: [Setting] = [
        host, port, database, index, export, apiToken, origins, generateModel, embedModel, ollamaHost,
        upstreams, upstreamKeys, modelAliases, modelDefaults, loadShield, fusion, connectTimeout,
        firstByteTimeout, idleTimeout, queryTimeout, maxInFlight, maxWaiting, maxBodyBytes, maxBodyMemory,
        maxSpoolBytes, minBodyRate, clientIdleTimeout, drainTimeout, backfill, switchShare, logLevel, logFormat,
        logPrompts, tlsCertificate, tlsKey, maxConnections, maxConnectionsPerAddress, headerTimeout,
    ]
}
