import Inference
import Logging
import TestSupport
import Transport

@testable import Telemetry

enum SampleSpans {
    static let call = OutgoingCall.ollama(UpstreamConfiguration(baseURL: "http://127.0.0.1:11434", peer: "Ollama"))

    static func span(name: String = "chat small") -> TraceSpan {
        var generator = SystemRandomNumberGenerator()
        return TraceSpan(
            trace: TraceID.random(by: &generator), id: SpanID.random(by: &generator),
            parent: SpanID.random(by: &generator), isParentRemote: true, state: "a=1", kind: .client, name: name,
            start: 1_700_000_000_000_000_000, end: 1_700_000_001_000_000_000)
    }
}

/// A log that keeps its lines.
struct KeptLog: LogHandler {
    let lines: Locked<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.change { $0.append("\(event.level): \(event.message) \(event.metadata ?? [:])") }
    }
}
