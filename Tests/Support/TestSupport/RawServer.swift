import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A TCP server that keeps every byte it gets and sends only what a test tells it to, as no correct upstream does.
package final class RawServer: Sendable {
    package let port: Int
    private let listener: Int32
    private let state = Mutex(State())

    private struct State {
        var received: [UInt8] = []
        var connections: [Int32] = []
        var reads = true
        var closed = 0
    }

    /// Listens.
    package init() throws {
        (listener, port) = try LoopbackSocket.listening()
        LoopbackSocket.accept(listener) { [self] in receive($0) }
    }

    /// All bytes that came so far, over all connections.
    package var received: [UInt8] { state.withLock { $0.received } }
    /// Connections that the other side closed.
    package var closed: Int { state.withLock { $0.closed } }
    /// Stops and goes on reading; the sockets stay open.
    package func setReads(_ reads: Bool) { state.withLock { $0.reads = reads } }

    /// Sends a text to the latest connection.
    package func send(_ text: String) { send(Array(text.utf8)) }

    /// Sends bytes to the latest connection.
    package func send(_ bytes: [UInt8]) {
        guard let connection = state.withLock({ $0.connections.last }) else { return }
        LoopbackSocket.write(bytes, to: connection)
    }

    /// Waits until a condition holds, 30 seconds at most.
    ///
    /// - Returns: Whether it did.
    package func waitUntil(_ condition: (RawServer) -> Bool) async -> Bool { await eventually { condition(self) } }

    /// Ends the latest connection from this side.
    package func hangUp() {
        if let connection = state.withLock({ $0.connections.last }) { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    /// Stops listening and ends all connections.
    package func stop() {
        LoopbackSocket.stop(listener)
        for connection in state.withLock({ $0.connections }) { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    private func receive(_ connection: Int32) {
        state.withLock { $0.connections.append(connection) }
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
