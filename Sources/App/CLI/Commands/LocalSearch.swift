import Gateway
import Search
import Server

/// Search as a command uses it, without a server.
enum LocalSearch {
    /// Opens Search, runs the body, and closes everything.
    ///
    /// - Throws: ``StorageError``, ``UpstreamError`` for an address of Ollama that cannot be used, and what the body
    ///   throws; `CancellationError` after an interrupt.
    static func run<Value: Sendable>(
        _ configuration: GatewayConfiguration, _ body: @escaping @Sendable (RetrievalService) async throws -> Value
    ) async throws -> Value {
        try await services(configuration) { try await body($0.retrieval) }
    }

    /// Like ``run(_:_:)``, with all that a search may need.
    static func services<Value: Sendable>(
        _ configuration: GatewayConfiguration, _ body: @escaping @Sendable (SearchServices) async throws -> Value
    ) async throws -> Value {
        CommandTarget.sayFile(configuration)
        let services = try SearchServices(
            configuration, logger: CommandContext.logger(configuration.commandLogLevel))
        let result: Result<Value, any Error>
        do {
            result = .success(try await Interrupt.cancellable { try await body(services) })
        } catch {
            result = .failure(error)
        }
        await services.close(within: .milliseconds(200))
        return try result.get()
    }
}
