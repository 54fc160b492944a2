import ArgumentParser
import Gateway

/// The flags that every command shares. A flag wins over the environment, that over the file, that over the default.
struct ConfigurationOptions: ParsableArguments {
    @Option(name: .long, help: "Configuration file, JSON (SELENE_CONFIG; default ~/.selene/config.json).")
    var config: String?

    @Option(name: .long, help: "Path of the notes database (SELENE_DATABASE).")
    var database: String?

    @Option(name: .long, help: "Where Ollama listens (OLLAMA_HOST).")
    var ollamaHost: String?

    @Option(name: .long, help: "trace, debug, info, notice, warning or error (SELENE_LOG_LEVEL).")
    var logLevel: String?

    /// Loads the configuration with these flags and some more of the command's own.
    ///
    /// - Throws: A validation error (exit code 64) that says which setting is wrong and where it was set.
    func load(_ more: [String: String?] = [:]) throws -> GatewayConfiguration {
        do {
            return try read(more)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// The same for a process that runs already.
    ///
    /// - Throws: ``ConfigurationError``.
    func read(_ more: [String: String?] = [:]) throws -> GatewayConfiguration {
        var flags = ["database": database, "ollama_host": ollamaHost, "log_level": logLevel]
        flags.merge(more) { $1 }
        return try GatewayConfiguration.load(flags: flags.compactMapValues { $0 }, file: config)
    }
}
