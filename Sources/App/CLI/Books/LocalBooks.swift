import Backfill
import BookRoom
import Books
import Foundation
import Gateway
import GatewayAPI
import LLM
import Server
import Storage

/// The library as a command uses it, without a server.
enum LocalBooks {
    /// Opens the library, runs the body, and closes everything.
    ///
    /// - Throws: ``StorageError``, ``UpstreamError`` for an address of Ollama that cannot be used, and what the body throws;
    ///   `CancellationError` after an interrupt.
    static func run<Value: Sendable>(
        _ configuration: GatewayConfiguration, _ body: @escaping @Sendable (BookLibrary) async throws -> Value
    ) async throws -> Value {
        CommandTarget.sayFile(configuration)
        let services = try SearchServices(
            configuration, logger: CommandContext.logger(configuration.commandLogLevel))
        let library = services.library(configuration)
        let result: Result<Value, any Error>
        do {
            result = .success(try await Interrupt.cancellable { try await body(library) })
        } catch {
            result = .failure(error)
        }
        await services.close(within: .milliseconds(200))
        return try result.get()
    }

    /// Adds a file to the library; does not import it.
    ///
    /// - Throws: ``BookRefusal``, ``StorageError``, the error of a file that cannot be read.
    static func add(_ file: URL, to library: BookLibrary, isPrivate: Bool) async throws -> (book: Book, isNew: Bool) {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        let incoming = try library.files.receive(stored: try await library.store.fileBytes())
        while let chunk = try handle.read(upToCount: 1 << 20), !chunk.isEmpty {
            try Task.checkCancellation()
            try incoming.write([UInt8](chunk))
        }
        return try await library.add(
            incoming, source: file.lastPathComponent, contentType: nil, isPrivate: isPrivate, key: nil)
    }
}
