import GatewayAPI
import Synchronization

/// Serves one client over standard input and output: a message a line, requests side by side.
package final class StdioSession: Sendable {
    /// A line of standard input.
    package enum Line: Sendable {
        case message([UInt8])
        /// The line was longer than ``MCPServer/maxMessageBytes`` and was dropped.
        case tooLong
    }

    /// The maximum number of requests that are answered at once; reading waits beyond it.
    private static let maxRunning = 64

    private let peer: any StdioPeer
    private let write: @Sendable ([UInt8]) -> Void
    private let tasks = Mutex<[JSONValue: Task<Void, Never>]>([:])

    /// Creates a session.
    ///
    /// - Parameter write: Writes a whole message with its line feed. Called by one thread at a time.
    package init(peer: any StdioPeer, write: @escaping @Sendable ([UInt8]) -> Void) {
        self.peer = peer
        let output = Output(write)
        self.write = { output.put($0) }
    }

    /// Answers until the input ends, then waits for the requests in progress. Subscriptions end at once.
    ///
    /// - Parameter next: Returns the next line; nil at the end of input.
    package func run(_ next: @Sendable () async -> Line?) async {
        while let line = await next() {
            switch line {
            case .tooLong:
                let reason = "the message is longer than \(MCPServer.maxMessageBytes) bytes"
                write(RPCReply.error(RPCError(.parse, reason), to: .null))
            case .message(let bytes): await take(bytes)
            }
        }
        let rest = tasks.withLock { $0 }
        for (id, task) in rest {
            if streams.withLock({ $0.contains(id) }) { task.cancel() }
            await task.value
        }
    }

    /// The ids of requests that never end by themselves.
    private let streams = Mutex<Set<JSONValue>>([])

    private func take(_ bytes: [UInt8]) async {
        guard bytes.contains(where: { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 }) else { return }
        let message: RPCMessage
        do throws(RPCRefusal) {
            message = try RPCMessage(parsing: bytes)
        } catch {
            return write(RPCReply.error(error.error, to: error.id))
        }
        switch message {
        case .reply: return
        case .notification(let method, let params):
            if method == "notifications/cancelled", let id = params["requestId"] {
                tasks.withLock { $0[id] }?.cancel()
            } else {
                await peer.handle(message, bytes, write: write)
            }
        case .request(let request):
            // What the handshake agrees on holds for the next message.
            if request.method == "initialize" { return await peer.handle(message, bytes, write: write) }
            await waitForRoom()
            begin(request, message, bytes)
        }
    }

    private func begin(_ request: RPCRequest, _ message: RPCMessage, _ bytes: [UInt8]) {
        let id = request.id
        tasks.withLock { tasks in
            guard tasks[id] == nil else {
                return write(
                    RPCReply.error(RPCError(.invalidRequest, "a request with this id is in progress"), to: id))
            }
            if request.method == "subscriptions/listen" { streams.withLock { _ = $0.insert(id) } }
            tasks[id] = Task { [self] in
                await peer.handle(message, bytes, write: write)
                self.tasks.withLock { $0[id] = nil }
                streams.withLock { _ = $0.remove(id) }
            }
        }
    }

    private func waitForRoom() async {
        while let some = tasks.withLock({ tasks in
            tasks.count >= Self.maxRunning
                ? tasks.first { id, _ in !streams.withLock { $0.contains(id) } }?.value : nil
        }) {
            await some.value
        }
    }

    /// Writes one message at a time.
    private final class Output: Sendable {
        private let lock = Mutex(())
        private let write: @Sendable ([UInt8]) -> Void

        init(_ write: @escaping @Sendable ([UInt8]) -> Void) { self.write = write }

        func put(_ message: [UInt8]) { lock.withLock { _ in write(message + [UInt8(ascii: "\n")]) } }
    }
}
