import Foundation
import Synchronization

/// A TCP server that sees what is on the wire and answers what it is told: the upstream that no well-behaved server is.
final class RawServer: Sendable {
    let port: Int
    private let listener: Int32
    private let state = Mutex(State())

    private struct State {
        var received: [UInt8] = []
        var connections: [Int32] = []
        var reads = true
        var closed = 0
    }

    init() throws {
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
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                state.withLock { $0.connections.append(connection) }
                Thread.detachNewThread { [self] in receive(connection) }
            }
        }
    }

    /// All bytes that came so far, over all connections.
    var received: [UInt8] { state.withLock { $0.received } }
    /// Connections that the other side closed.
    var closed: Int { state.withLock { $0.closed } }
    /// Stops and goes on reading; the sockets stay open.
    func setReads(_ reads: Bool) { state.withLock { $0.reads = reads } }

    /// Sends to the latest connection.
    func send(_ text: String) { send(Array(text.utf8)) }

    /// Sends bytes, be they text or not, to the latest connection.
    func send(_ bytes: [UInt8]) {
        guard let connection = state.withLock({ $0.connections.last }) else { return }
        _ = bytes.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
    }

    /// Waits until what came satisfies a condition.
    func waitUntil(within timeout: Duration = .seconds(10), _ condition: (RawServer) -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + timeout
        while !condition(self) {
            guard ContinuousClock.now < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return true
    }

    /// Ends the latest connection from this side.
    func hangUp() {
        if let connection = state.withLock({ $0.connections.last }) { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        for connection in state.withLock({ $0.connections }) { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    private func receive(_ connection: Int32) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            guard state.withLock({ $0.reads }) else {
                usleep(1000)
                continue
            }
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { break }
            state.withLock { $0.received += buffer[..<count] }
        }
        state.withLock { $0.closed += 1 }
    }
}
