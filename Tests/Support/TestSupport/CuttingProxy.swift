import Foundation
import Synchronization

/// Passes TCP connections on to a port of 127.0.0.1, and cuts or holds them when a test says so.
package final class CuttingProxy: Sendable {
    /// When the proxy cuts a connection by itself: once, at bytes of the client.
    package struct Trigger: Sendable {
        /// The bytes.
        package var text: String
        /// Whether the bytes are passed on first. The answer is then never seen.
        package var passesOn: Bool
        /// How many occurrences are let through before.
        package var after: Int

        package init(_ text: String, passesOn: Bool, after: Int = 0) {
            self.text = text
            self.passesOn = passesOn
            self.after = after
        }
    }

    private struct State {
        var sockets: Set<Int32> = []
        var refuses = false
        var trigger: Trigger?
        var cuts = 0
        var accepted = 0
    }

    /// The port to connect to.
    package let port: Int
    private let target: Int
    private let listener: Int32
    private let state = Mutex(State())
    private let gate = NSCondition()
    private let held = Locked(false)

    /// Listens at a free port.
    package init(to target: Int) throws {
        self.target = target
        (listener, port) = try LoopbackSocket.listening()
        LoopbackSocket.accept(listener) { [self] client in serve(client) }
    }

    /// How often a trigger cut a connection.
    package var cuts: Int { state.withLock { $0.cuts } }

    /// How many connections came.
    package var accepted: Int { state.withLock { $0.accepted } }

    /// Sets when to cut.
    package func cut(at trigger: Trigger?) { state.withLock { $0.trigger = trigger } }

    /// Whether new connections are closed at once.
    package func refuse(_ refuses: Bool) { state.withLock { $0.refuses = refuses } }

    /// Cuts all connections.
    package func cutAll() {
        for socket in state.withLock({ $0.sockets }) { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    /// Holds all bytes of both directions, as a peer that died without a word.
    package func hold(_ holds: Bool) {
        gate.lock()
        held.change { $0 = holds }
        gate.broadcast()
        gate.unlock()
    }

    /// Stops listening and cuts everything.
    package func stop() {
        hold(false)
        LoopbackSocket.stop(listener)
        cutAll()
    }

    private func serve(_ client: Int32) {
        let refuses = state.withLock { state in
            state.accepted += 1
            return state.refuses
        }
        guard !refuses, let server = try? LoopbackSocket.connected(to: target, timeout: 600, receiveBuffer: nil) else {
            close(client)
            return
        }
        state.withLock { $0.sockets.formUnion([client, server]) }
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            self.pass(from: server, to: client, isClient: false)
            done.signal()
        }
        pass(from: client, to: server, isClient: true)
        done.wait()
        state.withLock { $0.sockets.subtract([client, server]) }
        close(client)
        close(server)
    }

    private func pass(from source: Int32, to sink: Int32, isClient: Bool) {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(source, &bytes, bytes.count)
            gate.lock()
            while held.value { gate.wait() }
            gate.unlock()
            guard count > 0 else { break }
            let part = bytes[..<count]
            switch isClient ? verdict(on: part) : nil {
            case nil:
                guard LoopbackSocket.write(part, to: sink) else { break }
                continue
            case true?:
                LoopbackSocket.write(part, to: sink)
                // The server acts on the bytes; its answer is lost.
                shutdown(source, Int32(SHUT_RDWR))
                Thread.sleep(forTimeInterval: 0.2)
            case false?: break
            }
            break
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(sink, Int32(SHUT_RDWR))
    }

    /// Whether to cut at these bytes, after or without passing them on; nil to go on.
    private func verdict(on bytes: ArraySlice<UInt8>) -> Bool? {
        state.withLock { state in
            guard var trigger = state.trigger, Data(bytes).range(of: Data(trigger.text.utf8)) != nil else { return nil }
            guard trigger.after == 0 else {
                trigger.after -= 1
                state.trigger = trigger
                return nil
            }
            state.trigger = nil
            state.cuts += 1
            return trigger.passesOn
        }
    }
}
