import ArgumentParser
import Books
import Foundation
import Gateway

/// The flags that commands share. Flags take precedence over the environment, the file and the defaults, in this order.
struct ConfigurationOptions: ParsableArguments {
    @Option(name: .long, help: "Configuration file, YAML or JSON (SELENE_CONFIG; default ~/.selene/config.yaml).")
    var config: String?

    @Option(name: .long, help: "Path of the notes database (SELENE_DATABASE; default ~/.selene/selene.sqlite).")
    var database: String?

    @Option(name: .long, help: "Address of Ollama (OLLAMA_HOST; default http://127.0.0.1:11434).")
    var ollamaHost: String?

    @Option(name: .long, help: "trace, debug, info, notice, warning or error (SELENE_LOG_LEVEL; default info).")
    var logLevel: String?

    /// Loads the configuration with these flags and the command's own.
    ///
    /// - Throws: A validation error (exit code 64) that names the wrong setting and where it was set.
    func load(_ more: [String: String?] = [:]) throws -> GatewayConfiguration {
        do {
            return try read(more)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// Loads the configuration as ``load(_:)`` does, for a running process.
    ///
    /// - Parameter text: What counts instead of the text of the file.
    /// - Throws: ``ConfigurationError``.
    func read(_ more: [String: String?] = [:], text: Data? = nil) throws -> GatewayConfiguration {
        var flags = ["database": database, "ollama_host": ollamaHost, "log_level": logLevel]
        flags.merge(more) { $1 }
        var configuration = try GatewayConfiguration.load(
            flags: flags.compactMapValues { $0 }, file: config, text: text)
        configuration.books.readerProgram = ReaderProgram.current
        return configuration
    }
}
