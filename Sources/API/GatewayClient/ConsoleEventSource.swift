public import Foundation
import GatewayAPI

/// An event of `GET /api/admin/events`.
public struct ConsoleEvent: Sendable, Hashable {
    /// The topic, or `unavailable`.
    public var name: String
    /// The state as JSON.
    public var data: Data

    /// Decodes the state.
    ///
    /// - Throws: ``GatewayClientError`` when it has another form.
    public func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw GatewayClientError(.undecodable, "an event \"\(name)\" cannot be decoded: \(error)")
        }
    }
}

/// Reads what the console shows live, and reconnects where a connection ended. Its deinit closes the connection.
public actor ConsoleEventSource {
    private let connection: GatewayConnection
    private let topics: String
    private var exchange: Exchange?
    private var buffer = EventBuffer(maxBytes: GatewayConnection.maxLineBytes)
    private var failures = 0

    init(_ connection: GatewayConnection, topics: [String]) {
        self.connection = connection
        self.topics = topics.isEmpty ? "all" : topics.joined(separator: ",")
    }

    deinit { exchange?.stop(GatewayClientError(.cancelled, "the stream's reader is gone")) }

    /// Returns the next event. The first ones after each connection tell the state of every topic.
    ///
    /// - Throws: ``GatewayClientError``, when the retry policy permits no further connection.
    public func next() async throws -> ConsoleEvent {
        while true {
            do {
                return try await nextEvent()
            } catch let error as GatewayClientError {
                exchange?.stop(error)
                exchange = nil
                failures += 1
                guard Repetition.always.allows(error), try await connection.waits(after: error, attempt: failures)
                else { throw error }
            }
        }
    }

    private func nextEvent() async throws -> ConsoleEvent {
        let exchange = try await attached()
        while true {
            if let received = buffer.next() {
                failures = 0
                return ConsoleEvent(name: received.name, data: Data(received.data))
            }
            guard let piece = try await exchange.next(within: .seconds(connection.timeouts.events)) else {
                throw GatewayClientError(.cut, "the gateway ended the events")
            }
            try buffer.append(piece)
        }
    }

    private func attached() async throws -> Exchange {
        if let exchange { return exchange }
        var call = Call("GET", "/api/admin/events").with("topics", topics)
        call.headers["Accept"] = "text/event-stream"
        buffer = EventBuffer(maxBytes: GatewayConnection.maxLineBytes)
        let opened = try await connection.open(call, UUID().uuidString.lowercased())
        exchange = opened
        return opened
    }
}
