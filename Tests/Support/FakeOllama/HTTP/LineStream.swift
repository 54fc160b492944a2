import Foundation
import NIOCore

/// A streamed reply, one flush at a time, with the faults of streams.
///
/// As in Ollama, the head is sent with the first line, not before.
final class LineStream {
    /// The format of the lines, and of a broken one.
    enum Kind {
        case lines, events

        var type: String { self == .lines ? "application/x-ndjson" : "text/event-stream" }
    }

    private let exchange: Exchange
    private let fault: Fault.Kind?
    private let kind: Kind
    private var sent = 0
    private var isOpen = false

    init(_ exchange: Exchange, fault: Fault.Kind?, kind: Kind = .lines) {
        self.exchange = exchange
        self.fault = fault
        self.kind = kind
    }

    /// Sends one flush of bytes, after any fault that is due at this line.
    func put(_ text: String) async throws {
        try await misbehave()
        try await write(text)
        sent += 1
    }

    /// Sends bytes that do not count for faults.
    func giant(_ text: String) async throws { try await write(text) }

    func end() async throws { try await exchange.endReply() }

    private func open() async throws {
        guard !isOpen else { return }
        isOpen = true
        try await exchange.startReply(status: 200, headers: [("Content-Type", kind.type)])
    }

    private func write(_ text: String) async throws {
        try await open()
        try await exchange.write(ByteBuffer(string: text))
    }

    private func misbehave() async throws {
        switch fault {
        case .cut(sent):
            try await openEarly()
            try await exchange.hangUp(reset: false)
        case .reset(sent):
            try await openEarly()
            try await exchange.hangUp(reset: true)
        case .stallMid(sent, let seconds):
            try await openEarly()
            try await exchange.pause(seconds)
        case .badJSON(sent): try await write(kind == .lines ? Self.broken + "\n" : "data: \(Self.broken)\n\n")
        case .errorLine(sent):
            // Under `/v1`, Ollama treats its own error as an empty answer, and ends without `[DONE]`.
            let chunk = OpenAI.Chunk(id: "chatcmpl-0", created: -62_135_596_800, model: "")
            try await write(
                kind == .lines
                    ? #"{"error":"the model stopped unexpectedly"}"# + "\n"
                    : OpenAI.event(chunk.delta(["content": ""], finish: nil)))
            try await exchange.endReply()
            throw Exchange.Ended()
        default: break
        }
    }

    private static let broken = #"{"model":"broken","response":"#

    /// A fault before the first line leaves the client with a head and nothing more.
    private func openEarly() async throws {
        try await open()
        exchange.flush()
    }
}
