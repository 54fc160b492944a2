public import Inference
import LLM
public import Logging
public import Retrieval
public import Server
public import Transport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The checked settings of a gateway.
public struct GatewayConfiguration: Sendable {
    /// The address to listen on.
    public var host: String
    /// The port to listen on; 0 picks a free one.
    public var port: Int
    /// The path of the SQLite file, with `~` expanded.
    public var databasePath: String
    /// The folder of the index files; nil keeps none.
    public var indexFolder: String?
    /// The folder for exported notes; nil disables the export.
    public var exportFolder: String?
    /// A bearer token with access to every route.
    public var apiToken: String?
    /// Web origins that may call the gateway from a browser.
    var origins: OriginRules
    /// The model for `/api/llm/generate`.
    public var generateModel: String
    /// The model for `/api/llm/embed`, backfill and queries.
    public var embedModel: String
    /// Whether a server embeds new notes automatically.
    public var followsNotes: Bool
    /// The minimum share of embedded notes, 0 to 1, before a job may switch the active embedding space.
    public var switchShare: Double
    /// The first upstream's address, and the timeouts of all upstreams.
    public var upstream: UpstreamConfiguration
    /// All upstreams; the first has the address of ``upstream``.
    public var upstreams: [EndpointConfiguration]
    /// Model aliases and defaults.
    public var modelRules: ModelRules
    /// Whether the gateway loads models itself, so that a client that leaves cannot cancel a load.
    public var shieldsLoads: Bool
    /// The default fusion.
    public var fusion: FusionMethod
    /// The timeout for embedding a query.
    public var queryTimeout: Duration
    /// The maximum number of requests in flight at the upstreams.
    public var maxInFlight: Int
    /// The maximum number of requests that wait for an upstream.
    public var maxWaiting: Int
    /// The largest request body, in bytes.
    public var maxBodyBytes: Int
    /// The maximum bytes of request bodies in memory, over all requests; raised to twice ``maxBodyBytes``.
    public var maxBodyMemory: Int
    /// The maximum bytes of large request bodies on disk, over all requests.
    public var maxSpoolBytes: Int
    /// The minimum rate of a request body, in bytes per second; 0 for none.
    public var minBodyRate: Int
    /// The timeout of an idle or stalled client connection.
    public var clientIdleTimeout: Duration
    /// The drain timeout: how long SIGTERM waits for open requests.
    public var drainTimeout: Duration
    /// The lowest level that is logged.
    public var logLevel: Logger.Level
    /// The format of the log.
    public var logFormat: LogFormat
    /// Whether prompts are logged.
    public var logsPrompts: Bool
    /// The certificate and key files; nil for plain HTTP.
    public var tls: TLSFiles?
    /// The maximum number of open client connections.
    public var maxConnections: Int
    /// The maximum number of open connections from one address; nil for the gateway's default.
    public var maxConnectionsPerAddress: Int?
    /// The timeout for receiving a request head.
    public var headerTimeout: Duration
    /// The configuration file that was read; nil when there is none.
    public var file: String?
    /// The path of the configuration file, whether or not it exists.
    var filePath: String?
    /// Every setting as text with its origin, secrets masked, for `selene config`.
    public var effective: [EffectiveSetting]

    /// One line of `selene config`.
    public struct EffectiveSetting: Sendable, Hashable, Codable {
        /// The key in a configuration file.
        public var key: String
        /// The value as text; `********` for a secret, nil when unset.
        public var value: String?
        /// `flag`, `environment`, `file` or `default`.
        public var origin: String
        /// The name of the environment variable.
        public var environment: String
        /// A one-sentence description.
        public var summary: String
    }

    /// Loads the configuration: flags take precedence over the environment, then the file, then the defaults.
    ///
    /// - Parameters:
    ///   - flags: Values from the command line by setting key, for example `["port": "8080"]`.
    ///   - environment: The process environment.
    ///   - file: A configuration file that must exist. When nil, `SELENE_CONFIG`, then `~/.selene/config.json`
    ///     if it exists.
    /// - Throws: ``ConfigurationError``.
    public static func load(
        flags: [String: String] = [:], environment: [String: String] = ProcessInfo.processInfo.environment,
        file: String? = nil
    ) throws -> GatewayConfiguration {
        let path = file ?? environment["SELENE_CONFIG"].flatMap { $0.isEmpty ? nil : $0 } ?? defaultFile(environment)
        let reader = try SettingsReader(
            flags: flags, environment: environment, file: path.map { expand($0, environment) })
        var configuration = try GatewayConfiguration(reader: reader, environment: environment)
        configuration.file = path.map { expand($0, environment) }
        configuration.filePath = configuration.file ?? expand("~/.selene/config.json", environment)
        return configuration
    }

    private init(reader: SettingsReader, environment: [String: String]) throws {
        host = reader.text(.host) ?? ""
        port = try reader.integer(.port, in: 0...65_535)
        databasePath = Self.expand(reader.text(.database) ?? "", environment)
        indexFolder =
            switch reader.text(.index) ?? "" {
            case "auto", "": databasePath + ".index"
            case "off": nil
            case let folder: Self.expand(folder, environment)
            }
        exportFolder = reader.text(.export).map { Self.expand($0, environment) }
        apiToken = reader.text(.apiToken)
        let pages = reader.text(.origins) ?? ""
        guard let origins = OriginRules(pages) else {
            throw ConfigurationError.invalid(
                .origins, pages, reader.origin(of: .origins),
                "a list such as https://ui.example.org, https://*.example.org, without paths")
        }
        self.origins = origins
        generateModel = reader.text(.generateModel) ?? ""
        embedModel = reader.text(.embedModel) ?? ""
        let backfill = reader.text(.backfill) ?? ""
        guard ["auto", "off"].contains(backfill) else {
            throw ConfigurationError.invalid(.backfill, backfill, reader.origin(of: .backfill), "auto or off")
        }
        followsNotes = backfill == "auto"
        switchShare = Double(try reader.integer(.switchShare, in: 1...100)) / 100
        queryTimeout = try reader.seconds(.queryTimeout)
        maxInFlight = try reader.integer(.maxInFlight, in: 1...10_000)
        maxWaiting = try reader.integer(.maxWaiting, in: 0...100_000)
        maxBodyBytes = try reader.integer(.maxBodyBytes, in: 1024...1_073_741_824)
        maxBodyMemory = try reader.integer(.maxBodyMemory, in: 1_048_576...1_099_511_627_776)
        maxSpoolBytes = try reader.integer(.maxSpoolBytes, in: 0...1_125_899_906_842_624)
        minBodyRate = try reader.integer(.minBodyRate, in: 0...1_073_741_824)
        clientIdleTimeout = try reader.seconds(.clientIdleTimeout)
        drainTimeout = try reader.seconds(.drainTimeout)

        let fusionName = reader.text(.fusion) ?? ""
        guard let fusion = FusionMethod.parse(fusionName) else {
            throw ConfigurationError.invalid(
                .fusion, fusionName, reader.origin(of: .fusion), "convex, convex:ALPHA, rrf, rrf:K or dbsf")
        }
        self.fusion = fusion

        let levelName = reader.text(.logLevel) ?? ""
        guard let level = Logger.Level(rawValue: levelName.lowercased()) else {
            let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw ConfigurationError.invalid(.logLevel, levelName, reader.origin(of: .logLevel), "one of \(levels)")
        }
        logLevel = level

        logFormat = try reader.word(.logFormat, as: LogFormat.self)
        logsPrompts = try reader.word(.logPrompts, as: Switch.self) == .on
        maxConnections = try reader.integer(.maxConnections, in: 1...1_000_000)
        maxConnectionsPerAddress =
            reader.text(.maxConnectionsPerAddress) == nil
            ? nil : try reader.integer(.maxConnectionsPerAddress, in: 1...1_000_000)
        headerTimeout = try reader.seconds(.headerTimeout)
        tls = try TLSFiles(
            certificate: reader.text(.tlsCertificate).map { Self.expand($0, environment) },
            key: reader.text(.tlsKey).map { Self.expand($0, environment) })

        let address = reader.text(.ollamaHost) ?? ""
        do {
            upstream = try UpstreamConfiguration(host: address)
        } catch {
            throw ConfigurationError.invalid(
                .ollamaHost, address, reader.origin(of: .ollamaHost), "an address such as http://127.0.0.1:11434")
        }
        upstreams = try UpstreamSettings.endpoints(reader, only: upstream)
        modelRules = try UpstreamSettings.rules(reader)
        shieldsLoads = try UpstreamSettings.flag(.loadShield, reader)
        upstream = upstreams[0].upstream
        upstream.connectTimeout = try reader.seconds(.connectTimeout)
        upstream.firstByteTimeout = try reader.seconds(.firstByteTimeout)
        upstream.idleTimeout = try reader.seconds(.idleTimeout)
        for index in upstreams.indices {
            let baseURL = upstreams[index].upstream.baseURL
            upstreams[index].upstream = upstream
            upstreams[index].upstream.baseURL = baseURL
        }

        effective = Setting.all.map { setting in
            let value = reader.text(setting)
            return EffectiveSetting(
                key: setting.key, value: setting.isSecret ? value.map { _ in "********" } : value,
                origin: reader.origin(of: setting).rawValue, environment: setting.environment,
                summary: setting.summary)
        }
        for (setting, value) in [(Setting.host, host), (.database, databasePath), (.embedModel, embedModel)]
        where value.isEmpty {
            throw ConfigurationError.invalid(setting, value, reader.origin(of: setting), "a value")
        }
    }

    /// Whether only this machine can reach the listening address.
    public var isLoopback: Bool {
        if host == "localhost" || host == "::1" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
    }

    private static func defaultFile(_ environment: [String: String]) -> String? {
        let path = expand("~/.selene/config.json", environment)
        // An unreadable file or a dangling link counts as present: reading it reports the error.
        var status = stat()
        if lstat(path, &status) == 0 { return path }
        return errno == ENOENT || errno == ENOTDIR ? nil : path
    }

    private static func expand(_ path: String, _ environment: [String: String]) -> String {
        guard path == "~" || path.hasPrefix("~/") else { return path }
        return (environment["HOME"] ?? "") + path.dropFirst()
    }
}
