package import Foundation
import Inference
import NIOCore
import TestSupport
package import Transport

/// `selene serve` as a process of its own, on a port that was free a moment ago.
package struct ServeProcess: Sendable {
    /// A server that did not end with status 0 after SIGTERM.
    package struct UncleanEnd: Error {
        package var status: Int32
    }

    package let process: Process
    package let port: Int
    package let client: UpstreamTransport
    private let ended: Task<Void, any Error>
    private let isKilled = Locked(false)

    /// Runs a test with a server, and stops it with SIGTERM if it still runs.
    ///
    /// - Parameter openFiles: Limit of open descriptors; the system's own when nil.
    /// - Throws: ``UncleanEnd`` when it ends with another status than 0 and the test has not killed it.
    package static func with(
        _ environment: [String: String], home: SeleneHome? = nil, log: FileHandle? = nil,
        openFiles: Int? = nil, _ body: (ServeProcess) async throws -> Void
    ) async throws {
        let home = try home ?? SeleneHome()
        let port = try LoopbackSocket.freePort()
        let process = home.process(["serve", "--port", String(port)], environment)
        if let openFiles, let binary = process.executableURL?.path {
            process.arguments =
                ["-c", "ulimit -Sn \(openFiles) && ulimit -Hn \(openFiles) && exec \"$0\" \"$@\"", binary]
                + (process.arguments ?? [])
            process.executableURL = URL(filePath: "/bin/sh")
        }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = log ?? FileHandle.nullDevice
        let ended = Task { try await home.finish(process) }
        let client = try UpstreamTransport(configuration: UpstreamConfiguration(host: "127.0.0.1:\(port)"))
        let server = ServeProcess(process: process, port: port, client: client, ended: ended)
        do {
            try await server.waitUntilListening()
            try await body(server)
        } catch {
            if process.isRunning { process.terminate() }
            await client.shutdown(within: .zero)
            throw error
        }
        await client.shutdown(within: .zero)
        if process.isRunning { process.terminate() }
        try await ended.value
        guard server.isKilled.value || (process.terminationReason == .exit && process.terminationStatus == 0) else {
            throw UncleanEnd(status: process.terminationStatus)
        }
    }

    /// Sends SIGTERM, or SIGKILL, and waits for the end.
    package func end(_ signal: Int32) async throws {
        if signal == SIGKILL { isKilled.change { $0 = true } }
        kill(process.processIdentifier, signal)
        try await ended.value
    }

    private func waitUntilListening() async throws {
        try await waitUntil {
            guard let probe = try? RawClient(port: port) else { return false }
            probe.close()
            return true
        }
    }

    package func request(
        _ method: String, _ path: String, _ body: String? = nil, headers: [(name: String, value: String)] = []
    ) async throws -> LiveGateway.Reply {
        let response = try await client.send(
            UpstreamRequest(method: method, path: path, headers: headers, body: body.map { ByteBuffer(string: $0) }))
        let data = try await response.body.collect(upTo: 64 << 20)
        return LiveGateway.Reply(status: response.status, head: response.head, data: Data(data.readableBytesView))
    }
}
