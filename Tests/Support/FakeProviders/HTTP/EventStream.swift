import FakeOllama

/// A streamed reply, one event at a time, with the faults of streams.
final class EventStream {
    private let exchange: Exchange
    private let fault: Fault.Kind?
    /// The event of an error in mid-stream.
    private let failure: String
    private var sent = 0
    private var isOpen = false

    init(_ exchange: Exchange, _ fault: Fault.Kind?, failure: String) {
        self.exchange = exchange
        self.fault = fault
        self.failure = failure
    }

    /// Sends an event.
    ///
    /// - Parameters:
    ///   - name: The value of `event:`; nil for none.
    ///   - isToken: Whether the model takes time for it.
    func put(_ name: String? = nil, _ data: String, isToken: Bool = false) async throws {
        if !isOpen { exchange.begin(type: "text/event-stream; charset=utf-8") }
        isOpen = true
        switch fault {
        case .cut(sent): try await exchange.hangUp()
        case .reset(sent): try await exchange.hangUp(reset: true)
        case .stallMid(sent, let seconds): try await exchange.pause(seconds)
        case .badJSON(sent): return try await write(name, #"{"broken": "#)
        case .errorLine(sent):
            try await exchange.write(failure)
            try await exchange.end()
            throw Exchange.Ended(isFault: true)
        default: break
        }
        if isToken { try await exchange.pause(exchange.server.options.tokenPause) }
        try await write(name, data)
    }

    func end() async throws { try await exchange.end() }

    private func write(_ name: String?, _ data: String) async throws {
        sent += 1
        try await exchange.write((name.map { "event: \($0)\n" } ?? "") + "data: \(data)\n\n")
    }
}
