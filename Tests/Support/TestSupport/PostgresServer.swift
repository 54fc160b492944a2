import Foundation
import Synchronization

/// A PostgreSQL server of its own on 127.0.0.1, run by Tests/Postgres/server.sh. It ends with the test process.
package final class PostgresServer: Sendable {
    private static let first = Mutex<Task<PostgresServer?, Never>?>(nil)

    /// The server that most tests share, each with a database of its own; nil where none can be started.
    package static func shared() async -> PostgresServer? {
        await first.withLock { task in
            let known = task ?? Task { await start() }
            task = known
            return known
        }.value
    }

    /// Whether a server can be started here; says why not.
    package static var isPossible: Bool {
        get async { await shared() != nil }
    }

    /// Whether the server's pgvector can compare long vectors. One that was built for another processor ends the server.
    package static var hasWideVectors: Bool {
        get async {
            guard let server = await shared() else { return false }
            guard (try? await server.command("wide")) == "ok" else {
                print("skipped: pgvector of Tests/Postgres was built for another processor")
                return false
            }
            return true
        }
    }

    /// The URI of the server, with its password.
    package let uri: String
    private let process: Process
    private let input: FileHandle
    private let output: LineReader
    /// Holds the last command, so that commands follow one another.
    private let last = Mutex<Task<String, any Error>?>(nil)
    /// The database that others are copies of.
    private let template = Mutex<Task<String, any Error>?>(nil)

    /// The server's end of the pipe, read line by line on threads of its own.
    private final class LineReader: Sendable {
        private let handle: FileHandle
        private let rest = Mutex(Data())

        init(_ handle: FileHandle) { self.handle = handle }

        func next() async -> String? {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(returning: self.read()) }
            }
        }

        private func read() -> String? {
            while true {
                let line = rest.withLock { rest -> String? in
                    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
                    defer { rest = Data(rest[(end + 1)...]) }
                    return String(decoding: rest[..<end], as: UTF8.self)
                }
                if let line { return line }
                let more = handle.availableData
                guard !more.isEmpty else { return nil }
                rest.withLock { $0.append(more) }
            }
        }
    }

    /// An answer that was not expected.
    package struct Failure: Error { package var answer: String }

    private init(_ uri: String, _ process: Process, _ input: FileHandle, _ output: LineReader) {
        self.uri = uri
        self.process = process
        self.input = input
        self.output = output
    }

    /// Starts a server; nil where that is not possible.
    ///
    /// - Parameter arguments: See Tests/Postgres/server.sh.
    package static func start(_ arguments: [String] = []) async -> PostgresServer? {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [Repository.root.path + "/Tests/Postgres/server.sh"] + arguments
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        // Else a child of this process would keep the server alive.
        _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        guard (try? process.run()) != nil else { return nil }
        let reader = LineReader(output.fileHandleForReading)
        guard let uri = await reader.next(), uri.hasPrefix("postgres://") else {
            print(
                "skipped: no PostgreSQL server can be started here (Tests/Postgres/server.sh \(arguments.joined(separator: " ")))"
            )
            return nil
        }
        return PostgresServer(uri, process, input.fileHandleForWriting, reader)
    }

    package var port: Int { URLComponents(string: uri)?.port ?? 0 }

    /// The URI with another port, for a proxy.
    package static func uri(_ uri: String, port: Int) -> String {
        var components = URLComponents(string: uri)
        components?.port = port
        return components?.string ?? uri
    }

    /// Makes an empty database and returns its URI.
    package func database() async throws -> String { try await made("database") }

    /// Makes a copy of a database and returns its URI.
    ///
    /// - Parameter prepare: Prepares the first database, which nothing may use after that.
    package func copy(of prepare: @escaping @Sendable (_ uri: String) async throws -> Void) async throws -> String {
        let first = template.withLock { template in
            let task =
                template
                ?? Task {
                    let uri = try await database()
                    try await prepare(uri)
                    return uri
                }
            template = task
            return task
        }
        return try await made("copy \(first.value)")
    }

    private func made(_ name: String) async throws -> String {
        let answer = try await command(name)
        guard answer.hasPrefix("postgres://") else { throw Failure(answer: answer) }
        return answer
    }

    /// Sends a command of server.py and returns the answer.
    @discardableResult
    package func command(_ name: String) async throws -> String {
        try await last.withLock { last in
            let task = Task { [input, output, before = last] in
                _ = await before?.result
                try input.write(contentsOf: Data("\(name)\n".utf8))
                guard let answer = await output.next() else { throw Failure(answer: "no answer to \(name)") }
                return answer
            }
            last = task
            return task
        }.value
    }

    /// Ends the server and deletes its files.
    package func stop() {
        try? input.close()
        process.waitUntilExit()
    }
}
