package import Access
package import Logging

/// The settings of the HTTP server: its address, who may come in, limits and the log.
package struct ServerSettings: Sendable {
    /// The settings, in the order in which `selene config` shows them.
    package static let all: [Setting] = [
        .host, .port, .apiToken, .prices, .origins, .maxBodyBytes, .maxBodyMemory, .maxAnswerMemory, .maxSpoolBytes,
        .minBodyRate,
        .clientIdleTimeout, .drainTimeout, .logLevel, .logFormat, .logPrompts, .tlsCertificate, .tlsKey,
        .maxConnections, .maxConnectionsPerAddress, .maxStreams, .headerTimeout,
    ]

    /// The address to listen on.
    package var host: String
    /// The port to listen on; 0 picks a free one.
    package var port: Int
    /// The token that may use every route.
    package var apiToken: String?
    /// The file of the prices of models; nil for none.
    package var priceFile: String?
    /// The prices of models.
    package var prices: PriceList
    /// Pages of other machines that may call the gateway from a browser.
    package var origins: OriginRules
    /// The largest request body, in bytes.
    package var maxBodyBytes: Int
    /// Bytes of request bodies in memory, all requests together; at least twice ``maxBodyBytes`` is used.
    package var maxBodyMemory: Int
    /// Bytes of answers that clients have not taken yet, all answers together.
    package var maxAnswerMemory: Int
    /// Bytes of large request bodies on disk, all requests together.
    package var maxSpoolBytes: Int
    /// The lowest rate of a request body, and of a client that reads an answer, in bytes a second; 0 for any.
    package var minBodyRate: Int
    /// How long an idle or stalled client connection stays open.
    package var clientIdleTimeout: Duration
    /// How long SIGTERM waits for open requests.
    package var drainTimeout: Duration
    /// The least level that is logged.
    package var logLevel: Logger.Level
    /// How the log is written.
    package var logFormat: LogFormat
    /// Whether the log may contain prompts.
    package var logsPrompts: Bool
    /// The files of the certificate and its key; nil for plain HTTP.
    package var tls: TLSFiles?
    /// Client connections at once.
    package var maxConnections: Int
    /// Connections of one address at once; nil for the gateway's own choice.
    package var maxConnectionsPerAddress: Int?
    /// Open requests of one HTTP/2 connection; 0 for HTTP/1.1 only.
    package var maxStreams: Int
    /// How long the head of a request may take to arrive.
    package var headerTimeout: Duration

    /// Reads and checks the settings.
    ///
    /// - Throws: ``ConfigurationError``.
    package init(_ reader: SettingsReader) throws {
        host = try reader.nonEmptyText(.host)
        port = try reader.integer(.port, in: 0...65_535)
        apiToken = reader.text(.apiToken)
        priceFile = reader.path(.prices)
        prices = try PriceList(reader)
        let pages = reader.text(.origins) ?? ""
        guard let origins = OriginRules(pages) else {
            throw ConfigurationError.invalid(
                .origins, pages, reader.origin(of: .origins),
                "a list such as https://ui.example.org, https://*.example.org, without paths")
        }
        self.origins = origins
        maxBodyBytes = try reader.integer(.maxBodyBytes, in: 1024...1_073_741_824)
        maxBodyMemory = try reader.integer(.maxBodyMemory, in: 1_048_576...1_099_511_627_776)
        maxAnswerMemory = try reader.integer(.maxAnswerMemory, in: 67_108_864...1_099_511_627_776)
        maxSpoolBytes = try reader.integer(.maxSpoolBytes, in: 0...1_125_899_906_842_624)
        minBodyRate = try reader.integer(.minBodyRate, in: 0...1_073_741_824)
        clientIdleTimeout = try reader.seconds(.clientIdleTimeout)
        drainTimeout = try reader.seconds(.drainTimeout)
        let levelName = reader.text(.logLevel) ?? ""
        guard let level = Logger.Level(rawValue: levelName.lowercased()) else {
            let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw ConfigurationError.invalid(.logLevel, levelName, reader.origin(of: .logLevel), "one of \(levels)")
        }
        logLevel = level
        logFormat = try reader.word(.logFormat, as: LogFormat.self)
        logsPrompts = try reader.word(.logPrompts, as: Switch.self) == .on
        tls = try TLSFiles(certificate: reader.path(.tlsCertificate), key: reader.path(.tlsKey))
        maxConnections = try reader.integer(.maxConnections, in: 1...1_000_000)
        maxConnectionsPerAddress =
            reader.text(.maxConnectionsPerAddress) == nil
            ? nil : try reader.integer(.maxConnectionsPerAddress, in: 1...1_000_000)
        maxStreams = try reader.integer(.maxStreams, in: 0...1_000)
        headerTimeout = try reader.seconds(.headerTimeout)
    }

    /// Whether only this machine can reach the listening address.
    package var isLoopback: Bool { Self.isLoopback(host) }

    /// Whether only this machine can reach a listening address.
    package static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
    }
}

extension Setting {
    package static let host = Setting("host", default: "127.0.0.1", "address to listen on")
    package static let port = Setting("port", default: "5678", "port to listen on; 0 picks a free one")
    package static let apiToken = Setting(
        "api_token", default: nil, secret: true, "a bearer token that may use every route")
    package static let prices = Setting(
        "prices", default: nil, "file of the prices of models, for costs and monthly budgets of keys")
    package static let origins = Setting(
        "origins", default: nil,
        "web pages that may call a gateway with keys: SCHEME://HOST[:PORT] or *; * matches any characters")
    package static let maxBodyBytes = Setting("max_body_bytes", default: "8388608", "largest request body in bytes")
    package static let maxBodyMemory = Setting(
        "max_body_memory", default: "268435456", "limit in bytes of all request bodies in memory")
    package static let maxAnswerMemory = Setting(
        "max_answer_memory", default: "268435456",
        "limit in bytes of all answers in memory that wait for clients")
    package static let maxSpoolBytes = Setting(
        "max_spool_bytes", default: "4294967296",
        "limit in bytes of large request bodies on disk, next to the database; large answers have as much again")
    package static let minBodyRate = Setting(
        "min_body_rate", default: "1024",
        "lowest rate of sending a body or reading an answer, in bytes a second; 0: none")
    package static let clientIdleTimeout = Setting(
        "client_idle_timeout", default: "75", "seconds before an idle or stalled client connection is closed")
    package static let drainTimeout = Setting(
        "drain_timeout", default: "30", "seconds that SIGTERM waits for open requests")
    package static let logLevel = Setting(
        "log_level", default: "info", editable: true, "trace, debug, info, notice, warning or error")
    package static let logFormat = Setting("log_format", default: "text", "text, or json for one object on each line")
    package static let logPrompts = Setting(
        "log_prompts", default: "off", "on: log prompts, at most 8 KiB of each")
    package static let tlsCertificate = Setting(
        "tls_certificate", default: nil, "PEM file of the certificate and its chain")
    package static let tlsKey = Setting("tls_key", default: nil, "PEM file of the certificate's private key")
    package static let maxConnections = Setting("max_connections", default: "4096", "limit of client connections")
    package static let maxConnectionsPerAddress = Setting(
        "max_connections_per_address", default: nil, "limit of connections from one address; unset: a quarter of all")
    package static let maxStreams = Setting(
        "http2_streams", default: "100", "limit of open requests of one HTTP/2 connection; 0: HTTP/1.1 only")
    package static let headerTimeout = Setting(
        "header_timeout", default: "15", "seconds for the head of a request")
}
