import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// An HTTP server that gives scripted answers, one connection for each request, and keeps the requests.
package final class ScriptedServer: Sendable {
    /// What happens to a request.
    package enum Answer: Sendable {
        /// A whole answer.
        case reply(Int, String, headers: [String: String] = [:])
        /// These bytes as they are, then the end of the connection.
        case raw(String)
        /// The end of the connection.
        case drop
        /// These bytes, and then nothing until the client leaves.
        case stall(String)
    }

    package let port: Int
    private let listener: Int32
    private let answers: @Sendable (Int) -> Answer
    private let state = Mutex(State())

    private struct State {
        var requests: [String] = []
        var left = 0
        var written = 0
    }

    package var address: String { "http://127.0.0.1:\(port)" }
    /// The heads and bodies of the requests so far.
    package var requests: [String] { state.withLock { $0.requests } }
    /// Stalled connections whose client left.
    package var left: Int { state.withLock { $0.left } }
    /// Raw answers that the client took, or left.
    package var written: Int { state.withLock { $0.written } }

    /// Listens; `answers` is asked with 1 for the first request, 2 for the second one, …
    package init(_ answers: @escaping @Sendable (Int) -> Answer) throws {
        self.answers = answers
        (listener, port) = try LoopbackSocket.listening()
        LoopbackSocket.accept(listener) { [self] in serve($0) }
    }

    /// Stops listening.
    package func stop() { LoopbackSocket.stop(listener) }

    /// Waits until a condition holds, 30 seconds at most.
    ///
    /// - Returns: Whether it did.
    package func waitUntil(_ condition: (ScriptedServer) -> Bool) async -> Bool {
        await eventually { condition(self) }
    }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        guard let request = receive(connection) else { return }
        let number = state.withLock { state in
            state.requests.append(request)
            return state.requests.count
        }
        switch answers(number) {
        case .reply(let status, let body, let headers):
            let fields = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
            let answer =
                "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\nConnection: close\r\n\(fields)"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            LoopbackSocket.write(answer.utf8, to: connection)
        case .raw(let text):
            LoopbackSocket.write(text.utf8, to: connection)
            state.withLock { $0.written += 1 }
        case .drop: break
        case .stall(let text):
            LoopbackSocket.write(text.utf8, to: connection)
            var byte: UInt8 = 0
            while read(connection, &byte, 1) > 0 {}
            state.withLock { $0.left += 1 }
        }
    }

    /// A request with its body, by its Content-Length.
    private func receive(_ connection: Int32) -> String? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let length = text[..<end.lowerBound].lowercased().split(separator: "\r\n")
                    .first { $0.hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
                if text[end.upperBound...].utf8.count >= length ?? 0 { return text }
            }
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }
}
