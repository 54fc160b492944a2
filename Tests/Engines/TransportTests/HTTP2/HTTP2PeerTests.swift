import Certificates
import Foundation
import NIOCore
import TestSupport
import Testing

@testable import Transport

/// HTTP/2 against implementations that the product does not use: PyPI's h2 and Debian's nghttpd.
@Suite(.serialized) struct HTTP2Peers {
    private struct Account: Decodable {
        var connections: Int, requests: Int, answered: Int, most: Int, cold: Int, priorities: Int, distinct: Int
    }

    /// A server in a process of its own, which ends with its input.
    private final class Peer {
        private let process = Process()
        private let input = Pipe()
        private let output = Pipe()

        init(_ command: [String]) throws {
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = command
            process.standardInput = input
            process.standardOutput = output
            try process.run()
        }

        /// The next line of the output, or what came before its end.
        func readLine() -> String {
            var line: [UInt8] = []
            while line.last != 10, let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first {
                line.append(byte)
            }
            return String(decoding: line, as: UTF8.self)
        }

        func closeInput() { try? input.fileHandleForWriting.close() }

        func stop() {
            // nghttpd may be deaf to other signals.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    private func authority(_ folder: TemporaryFolder) throws -> LocalAuthority {
        let authority = LocalAuthority(folder: folder.path("tls"))
        try authority.create(names: ["localhost", "127.0.0.1"].compactMap { ServerName($0) }, now: .now)
        return authority
    }

    private func transport(_ authority: LocalAuthority, port: Int) throws -> UpstreamTransport {
        var configuration = UpstreamConfiguration(baseURL: "https://localhost:\(port)", peer: "the peer")
        configuration.version = .http2
        configuration.authorities = authority.authorityFile
        configuration.firstByteTimeout = .seconds(2)
        return try UpstreamTransport(configuration: configuration)
    }

    private func sendAll(_ count: Int, _ path: @escaping @Sendable (Int) -> String, over transport: UpstreamTransport)
        async
        -> [String: Int]
    {
        await withTaskGroup(of: String.self) { group in
            for number in 0..<count {
                group.addTask {
                    var request = UpstreamRequest(
                        method: "POST", path: path(number), body: ByteBuffer(string: #"{"aps":{}}"#))
                    request.isForwarded = true
                    do {
                        let response = try await transport.send(request)
                        _ = try await response.body.collect(upTo: 10_000)
                        return String(response.status)
                    } catch {
                        return "\(error)"
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }

    @Test(.slow, arguments: ["ramp", "goaway", "silence"])
    func `the server of h2 gets every request`(mode: String) async throws {
        let folder = "\(Repository.root.path)/Tests/Engines/TransportTests/Oracle"
        let found = try await Shell.run([
            "sh", "-c",
            "cd '\(Repository.root.path)' && sh Tests/Scripts/python.sh '\(folder)/requirements.txt' 2>/dev/null",
        ])
        guard found.status == 0, let python = found.output.split(separator: "\n").last.map(String.init) else {
            print("skipped: h2 cannot be installed here")
            return
        }
        let files = try TemporaryFolder()
        let authority = try authority(files)
        let peer = try Peer([python, "\(folder)/h2_server.py", authority.certificateFile, authority.keyFile, mode])
        let port = try #require(Int(peer.readLine().trimmingCharacters(in: .whitespacesAndNewlines)))
        let transport = try transport(authority, port: port)
        let statuses = await sendAll(300, { "/3/device/\($0)" }, over: transport)
        await transport.shutdown(within: .seconds(1))
        peer.closeInput()
        let account = try JSONDecoder().decode(Account.self, from: Data(peer.readLine().utf8))
        peer.stop()
        #expect(account.cold == 1)
        #expect(account.most <= 100)
        #expect(account.priorities == 0)
        if mode == "silence" {
            // Those that had waited their time fail; the others move.
            #expect(statuses.values.reduce(0, +) == 300)
            #expect(statuses["200", default: 0] >= 200)
        } else {
            #expect(statuses == ["200": 300])
            #expect(account.distinct == 300)
        }
        #expect(account.connections == (mode == "ramp" ? 1 : 2))
    }

    @Test func `nghttpd gets every request on one connection`() async throws {
        guard await Shell.has("nghttpd") else { return }
        let files = try TemporaryFolder()
        let authority = try authority(files)
        try files.write("root/empty", "")
        try files.write("root/word", "word")
        let port = try LoopbackSocket.freePort()
        let peer = try Peer([
            "nghttpd", "--address=127.0.0.1", "-d", files.path("root"), "\(port)", authority.keyFile,
            authority.certificateFile,
        ])
        defer { peer.stop() }
        let transport = try transport(authority, port: port)
        #expect(await eventually { (try? await transport.send(UpstreamRequest(method: "GET", path: "/word"))) != nil })
        let statuses = await sendAll(500, { ["/empty", "/word", "/none"][$0 % 3] }, over: transport)
        #expect(statuses == ["200": 334, "404": 166])
        await transport.shutdown(within: .seconds(1))
    }
}
