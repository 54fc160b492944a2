package import Foundation
package import TestSupport

/// A home directory of its own for the binary `selene`, with a database; deleted with this object.
package final class SeleneHome: Sendable {
    /// What a run of the binary gave.
    package struct Outcome {
        package var status: Int32
        package var output: String
        package var errors: String
    }

    /// The binary, beside the test bundle.
    package static let binary = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "selene")

    package let url = FileManager.default.temporaryDirectory.appending(path: "selene-cli-\(UUID().uuidString)")

    private let settings: [String: String]

    /// - Parameter settings: Variables of every process.
    package init(_ settings: [String: String] = [:]) throws {
        self.settings = settings
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// A home whose notes are at a place; nil where no PostgreSQL can be started.
    package static func with(notesIn place: NotesPlace) async throws -> SeleneHome? {
        guard place == .postgres else { return try SeleneHome() }
        guard await PostgresServer.isPossible, let server = await PostgresServer.shared() else { return nil }
        return try SeleneHome(["SELENE_STORE": try await server.database()])
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package var database: String { url.appending(path: "n.sqlite").path }

    /// A process that was not started; no setting of the caller's environment reaches it.
    package func process(_ arguments: [String], _ environment: [String: String] = [:]) -> Process {
        let process = Process()
        process.executableURL = Self.binary
        process.arguments = arguments
        var inherited = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SELENE_") }
        // Workflows would begin or not by the time of day.
        let usual = [
            "HOME": url.path, "SELENE_DATABASE": database, "OLLAMA_HOST": "127.0.0.1:9", "SELENE_WORKFLOWS": "off",
            "SELENE_MEMORIES": "off",
        ]
        inherited.merge(usual) { $1 }
        process.environment = inherited.merging(settings) { $1 }.merging(environment) { $1 }
        return process
    }

    /// Runs the binary to its end.
    package func run(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> Outcome {
        let process = process(arguments, environment)
        let output = url.appending(path: "out-\(UUID().uuidString)")
        let errors = url.appending(path: "err-\(UUID().uuidString)")
        for file in [output, errors] { try Data().write(to: file) }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try await finish(process)
        return Outcome(
            status: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8))
    }

    /// Starts a process and waits for its end without holding a thread of the cooperative pool.
    package func finish(_ process: Process) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
    }

    /// Writes a JSONL file with notes and returns its path.
    package func writeNotes(_ count: Int) throws -> String {
        let lines = (0..<count).map { #"{"id":"\#($0)","title":"note \#($0)","content":"text 潮 \#($0)"}"# }
        let file = url.appending(path: "notes.jsonl")
        try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }
}
