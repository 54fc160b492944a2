import ArgumentParser
import Audit
import AuditRoom
import Backfill
import Gateway
import GatewayAPI
import Inference
import LLM
import Logging
import Machine
import Notes
import PostgresStorage
import Search
import Server
import Storage
import Transport

/// The open database and Ollama client of a command.
struct CommandContext {
    let configuration: GatewayConfiguration
    let database: GatewayDatabase
    /// The notes in PostgreSQL; nil when they are in the file.
    let postgres: PostgresStore?
    let upstream: OllamaUpstream
    let logger: Logger
    private let transport: UpstreamTransport

    /// Opens the database and creates the Ollama client.
    init(_ configuration: GatewayConfiguration) throws {
        self.configuration = configuration
        logger = Self.logger(configuration.commandLogLevel)
        database = try GatewayDatabase(path: configuration.databasePath)
        postgres = configuration.search.postgresStore(logger)
        transport = try UpstreamTransport(configuration: configuration.llm.upstream)
        upstream = OllamaUpstream(transport: transport, cloud: CloudSwitch(isOn: configuration.llm.allowsCloud))
    }

    /// Where everything is kept: the server that gateways share, else the file.
    var store: any GatewayStore { postgres ?? database }

    /// Which files are exports of this gateway.
    var exportClaims: ExportClaims { ExportClaims(notes: store.notes, records: database.exports) }

    /// Where a backfill works.
    var backfillStore: any BackfillStore { postgres ?? database }

    /// Writes a change that the command made into the audit. A failure is said on standard error, and the change stays.
    func record(_ action: AuditAction, _ object: String?, id: Int64? = nil, detail: String? = nil) async {
        // The database closes behind the command.
        await AuditTrail(store.audit, wait: .seconds(10), logger: logger).record(
            AuditEntry(
                by: "command line", action: action.rawValue, object: object, objectID: id.map(String.init),
                detail: detail))
    }

    /// Runs a command's work, closes everything, and turns an error into one line and an exit code.
    static func run<Value: Sendable>(
        _ configuration: GatewayConfiguration,
        _ body: @escaping @Sendable (CommandContext) async throws -> Value
    ) async throws -> Value {
        CommandTarget.sayFile(configuration)
        do {
            let context = try CommandContext(configuration)
            do {
                let value = try await Interrupt.cancellable { try await body(context) }
                await context.close()
                return value
            } catch {
                await context.close()
                throw error
            }
        } catch {
            throw Failure.exit(for: error, upstreams: configuration.llm.upstreams.map(\.upstream.baseURL))
        }
    }

    /// A logger that writes to standard error.
    static func logger(_ level: Logger.Level) -> Logger {
        Logger(label: "selene") { StandardErrorLogHandler(label: $0, level: level) }
    }

    /// Closes the Ollama client and the database.
    func close() async {
        await transport.shutdown(within: .milliseconds(200))
        postgres?.close()
        try? database.close()
    }
}

/// Reports errors as one line without type names.
enum Failure {
    /// Prints an error and returns the exit code to throw.
    ///
    /// - Parameter upstreams: The addresses of Ollama, for a remedy when it is not there.
    static func exit(for error: any Error, upstreams: [String] = []) -> any Error {
        switch error {
        case let code as ExitCode: return code
        case is CancellationError: return Interrupt.exitCode
        case let error as StorageError:
            Terminal.note("selene: \(error.message)")
            if error.code == .newerVersion { return ExitCode(65) }
        case let error as PostgresError:
            Terminal.note("selene: \(error.message)")
            if error.code == .newerVersion { return ExitCode(65) }
        case let error as FileError: Terminal.note("selene: \(error.message)")
        case let error as UpstreamError where error.code == .cancelled: return Interrupt.exitCode
        case let error as UpstreamError:
            Terminal.note("selene: \(error.message)")
            if !upstreams.isEmpty, [.refused, .dns, .connectTimeout].contains(error.code) {
                Terminal.note(
                    "  Looked for at \(upstreams.joined(separator: ", ")). Start it with `ollama serve`, or name its "
                        + "address: OLLAMA_HOST=http://HOST:11434. `selene doctor` looks at the rest")
            }
        case let error as ConfigurationError:
            Terminal.note("selene: \(error.message)")
            return ExitCode(64)
        case let error as AddressNotAvailable:
            Terminal.note("selene: \(error)")
            return ExitCode(75)
        case is ValidationError, is CleanExit: return error
        default: Terminal.note("selene: \(error)")
        }
        return ExitCode.failure
    }
}

extension GatewayConfiguration {
    /// The level of what a command logs beside what it prints: warnings, unless a person chose a level.
    var commandLogLevel: Logger.Level { hasUsualLogLevel ? .warning : server.logLevel }

    /// Whether nobody chose a level.
    var hasUsualLogLevel: Bool {
        effective.first { $0.key == Setting.logLevel.key }?.origin == SettingsReader.Origin.fallback.name
    }
}
