import FakeOllama
import Foundation
import Inference
import NIOCore
import Testing
import Transport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension FakeOllama {
    /// Runs a test with a synthetic Ollama.
    static func with(_ options: Options = .init(), _ body: (FakeOllama) async throws -> Void) async throws {
        let fake = try await FakeOllama.start(options)
        do {
            try await body(fake)
        } catch {
            await fake.shutdown()
            throw error
        }
        await fake.shutdown()
    }
}

/// `selene serve` as a process of its own, on a port that was free a moment ago.
struct ServeProcess {
    let process: Process
    let port: Int
    let client: UpstreamTransport

    /// Runs a test with a server and stops it with SIGTERM.
    ///
    /// - Parameter openFiles: Descriptors that it may have open at most.
    static func with(
        _ environment: [String: String], home: CommandLineTool.Home? = nil, log: FileHandle? = nil,
        openFiles: Int? = nil,
        _ body: (ServeProcess) async throws -> Void
    ) async throws {
        let home = try home ?? CommandLineTool.Home()
        let port = try freePort()
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
        let server = ServeProcess(process: process, port: port, client: client)
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
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    }

    private func waitUntilListening() async throws {
        for _ in 0..<500 {
            if let probe = try? RawClient(port: port) { return probe.close() }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw CancellationError()
    }

    /// A port that nobody has now.
    static func freePort() throws -> Int {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 ? getsockname(descriptor, address, &length) : -1
            }
        }
        guard result == 0 else { throw POSIXError(.EADDRINUSE) }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    func request(
        _ method: String, _ path: String, _ body: String? = nil, headers: [(name: String, value: String)] = []
    ) async throws -> LiveGateway.Reply {
        let response = try await client.send(
            UpstreamRequest(method: method, path: path, headers: headers, body: body.map { ByteBuffer(string: $0) }))
        let data = try await response.body.collect(upTo: 64 << 20)
        return LiveGateway.Reply(status: response.status, head: response.head, data: Data(data.readableBytesView))
    }
}
