import Inference
import NIOCore
import TestSupport
import Transport

/// Sends a request and keeps the events and the error.
struct ChatRecording: Sendable {
    var events: [ChatEvent] = []
    var error: UpstreamError?

    var text: String { events.map { if case .text(let text) = $0 { text } else { "" } }.joined() }
    var thinking: String { events.map { if case .thinking(let text) = $0 { text } else { "" } }.joined() }
    var calls: [ChatCall] { events.compactMap { if case .call(let call) = $0 { call } else { nil } } }
    var usage: ChatUsage? { events.reversed().firstNonNil { if case .usage(let usage) = $0 { usage } else { nil } } }
    var end: ChatEnd? { if case .ended(let end)? = events.last { end } else { nil } }

    init(_ request: ModelChatRequest, to provider: some ChatProvider, as caller: String = "a") async {
        let collected = Collected<ChatEvent>()
        do {
            try await provider.chat(request, for: AdmissionCaller(caller)) { collected.add($0) }
        } catch {
            self.error = error as? UpstreamError ?? UpstreamError(.failed, "\(error)")
        }
        events = collected.all
    }

    /// Reads a stream that comes in pieces.
    init(_ parser: some ChatStreamParser, _ pieces: [[UInt8]]) {
        var parser = parser
        do {
            for piece in pieces { try parser.push(.init(bytes: piece), &events) }
            try parser.finish(&events)
        } catch {
            self.error = error
        }
    }
}

extension Sequence {
    fileprivate func firstNonNil<Value>(_ value: (Element) -> Value?) -> Value? {
        for element in self { if let found = value(element) { return found } }
        return nil
    }
}
