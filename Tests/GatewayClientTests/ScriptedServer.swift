import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// An HTTP server that answers what it is told, one connection for each request, and keeps what it was asked.
final class ScriptedServer: Sendable {
    /// What happens to a request.
    enum Answer: Sendable {
        /// A whole answer.
        case reply(Int, String, headers: [String: String] = [:])
        /// These bytes as they are, then the end of the connection.
        case raw(String)
        /// The end of the connection.
        case drop
        /// These bytes, and then nothing until the client leaves.
        case stall(String)
    }

    let port: Int
    private let listener: Int32
    private let answers: @Sendable (Int) -> Answer
    private let state = Mutex(State())

    private struct State {
        var requests: [String] = []
        var left = 0
        var written = 0
    }

    var address: String { "http://127.0.0.1:\(port)" }
    /// The heads and bodies of the requests so far.
    var requests: [String] { state.withLock { $0.requests } }
    /// Stalled connections whose client left.
    var left: Int { state.withLock { $0.left } }

    /// Raw answers that the client took, or left.
    var written: Int { state.withLock { $0.written } }

    /// Listens; `answers` is asked with 1 for the first request, 2 for the second one, …
    init(_ answers: @escaping @Sendable (Int) -> Answer) throws {
        #if canImport(Darwin)
        let listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
        self.listener = listener
        self.answers = answers
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else {
                    // Here and nowhere else: a descriptor that is closed may be another server's at the next call.
                    close(listener)
                    return
                }
                Thread.detachNewThread { [self] in serve(connection) }
            }
        }
    }

    /// Stops listening.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Waits until a condition holds, ten seconds at most.
    func waitUntil(_ condition: (ScriptedServer) -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(10)
        while !condition(self) {
            guard ContinuousClock.now < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return true
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
            write(
                "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\nConnection: close\r\n\(fields)"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)", to: connection)
        case .raw(let text):
            write(text, to: connection)
            state.withLock { $0.written += 1 }
        case .drop: break
        case .stall(let text):
            write(text, to: connection)
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

    private func write(_ text: String, to connection: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            #if canImport(Darwin)
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, 0) }
            #else
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            #endif
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
