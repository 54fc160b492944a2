import Foundation
import GatewayAPI

/// Reads the events of a run and reconnects where a connection ended. Its deinit closes the connection.
actor RunEventSource {
    private let connection: GatewayConnection
    private let path: String
    private var lastEventID: String?
    /// UTF-8 bytes of text that the reader has.
    private var bytes: Int
    private var exchange: Exchange?
    private var buffer = EventBuffer(maxBytes: GatewayConnection.maxLineBytes)
    private let requestID = UUID().uuidString.lowercased()
    private var attempts = 0
    /// Failures since the last event.
    private var failures = 0
    private var isDone = false
    private var isBusy = false

    init(_ connection: GatewayConnection, path: String, after lastEventID: String?) {
        self.connection = connection
        self.path = path
        self.lastEventID = lastEventID
        // An id begins with the number of text bytes before it.
        bytes = lastEventID.flatMap { Int($0.prefix { $0.isASCII && $0.isNumber }) } ?? 0
    }

    deinit { exchange?.stop(GatewayClientError(.cancelled, "the stream's reader is gone")) }

    /// Returns the next event; nil after the last one.
    ///
    /// - Throws: ``GatewayClientError``, when the retry policy permits no further connection.
    func next() async throws -> ChatRunEvent? {
        guard !isBusy else {
            throw GatewayClientError(.invalidRequest, "a stream has one reader at a time", requestID: requestID)
        }
        isBusy = true
        defer { isBusy = false }
        while true {
            do {
                return try await nextEvent()
            } catch var error as GatewayClientError {
                error.requestID = error.requestID ?? requestID
                exchange?.stop(error)
                exchange = nil
                failures += 1
                guard Repetition.always.allows(error), try await connection.waits(after: error, attempt: failures)
                else { throw error }
            }
        }
    }

    private func nextEvent() async throws -> ChatRunEvent? {
        guard !isDone else {
            // The connection is reusable only after the end of the body was read.
            while let rest = try? await exchange?.next(within: .seconds(1)), !rest.isEmpty {}
            return nil
        }
        let exchange = try await attached()
        while true {
            while let received = buffer.next() {
                guard let event = try decoded(received) else { continue }
                (lastEventID, failures, isDone) = (event.id, 0, event.isLast)
                return event
            }
            guard let piece = try await exchange.next(within: .seconds(connection.timeouts.events)) else {
                throw GatewayClientError(.cut, "the events ended before the run did")
            }
            try buffer.append(piece)
        }
    }

    private func attached() async throws -> Exchange {
        if let exchange { return exchange }
        attempts += 1
        var call = Call("GET", path)
        call.headers["Accept"] = "text/event-stream"
        if let lastEventID { call.headers["Last-Event-ID"] = lastEventID }
        buffer = EventBuffer(maxBytes: GatewayConnection.maxLineBytes)
        let opened = try await connection.open(call, attempts == 1 ? requestID : "\(requestID)-\(attempts)")
        exchange = opened
        return opened
    }

    private func decoded(_ received: ServerSentEvent) throws -> ChatRunEvent? {
        let event: ChatRunEvent?
        do {
            event = try ChatRunEvent(id: received.id, name: received.name, json: received.data)
        } catch {
            throw GatewayClientError(.undecodable, "an event of the run cannot be decoded: \(error)")
        }
        switch event?.content {
        case .delta(let delta):
            guard (0...bytes).contains(delta.at) else {
                // From the beginning: its first delta replaces all text.
                (lastEventID, bytes) = (nil, 0)
                throw GatewayClientError(.cut, "text is missing between two events")
            }
            bytes = delta.at + delta.text.utf8.count
        case .snapshot(let snapshot): bytes = snapshot.text.utf8.count
        default: break
        }
        return event
    }
}
