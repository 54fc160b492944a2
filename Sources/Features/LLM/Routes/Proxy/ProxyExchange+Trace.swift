import HTTPTypes
import Inference
import NIOCore
import Server
import Telemetry
import Transport

/// What the trace of a proxied request needs; only while traces are on.
extension ProxyExchange {
    /// Makes the request for the upstream a part of the trace. A provider on other machines learns nothing of it.
    func trace(_ span: RequestSpan, in headers: inout [(name: String, value: String)], _ beginning: ByteBuffer) {
        guard span.isRecorded else { return }
        let isModelCall = request.kind == .inference
        if upstreams.provider?.configuration.isLocal != false {
            span.replaceHeaders(in: &headers, ofModelCall: isModelCall)
        }
        guard isModelCall, facts.model == nil else { return }
        // Requests that do not depend on their model are not parsed otherwise.
        let model = queuedModel ?? model(in: beginning)
        span.update { $0.model = model }
    }

    /// Notes the call of the upstream.
    func trace(_ span: RequestSpan) {
        guard let endpoint = attempts.endpoints.last else { return }
        let (called, provider) = (facts.sentAt, upstreams.provider?.configuration)
        span.update { details in
            details.called = called
            details.call = provider?.call ?? .ollama(endpoint.configuration.upstream)
        }
    }
}
