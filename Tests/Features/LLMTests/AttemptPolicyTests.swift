import Testing
import Transport

@testable import Inference

/// When a request is tried at another endpoint.
@Suite struct AttemptPolicies {
    static let retried: Set<UpstreamError.Code> = [
        .refused, .dns, .connectTimeout, .tls, .cut, .protocolViolation, .shuttingDown,
    ]
    static let final: Set<UpstreamError.Code> = [
        .firstByteTimeout, .idleTimeout, .invalidResponse, .lineTooLong, .bodyTooLarge, .status, .cancelled,
        .overloaded, .invalidAddress, .failed,
    ]

    static func retries(
        after outcome: Result<Int, UpstreamError>, attempts: Int = 1, isRepeatable: Bool = true,
        mayBeElsewhere: Bool = true
    ) -> Bool {
        AttemptPolicy.retries(
            after: outcome, attempts: attempts, isRepeatable: isRepeatable, mayBeElsewhere: { mayBeElsewhere })
    }

    @Test func `what failed before anything came is tried again, unless work may go on there`() {
        for code in Self.retried { #expect(Self.retries(after: .failure(UpstreamError(code, "x"))), "\(code)") }
        for code in Self.final { #expect(!Self.retries(after: .failure(UpstreamError(code, "x"))), "\(code)") }
    }

    @Test(arguments: [200, 204, 301, 400, 401, 403, 409, 413, 499])
    func `an endpoint's own answer is the answer`(status: Int) {
        #expect(!Self.retries(after: .success(status)))
    }

    @Test(arguments: [429, 500, 502, 503, 504, 599])
    func `an endpoint that failed or is full is passed over`(status: Int) {
        #expect(Self.retries(after: .success(status)))
    }

    @Test func `a missing model is looked for only where it may be`() {
        #expect(Self.retries(after: .success(404), mayBeElsewhere: true))
        #expect(!Self.retries(after: .success(404), mayBeElsewhere: false))
    }

    @Test func `where a model may be is asked only for a missing model`() {
        for status in [200, 400, 500] {
            _ = AttemptPolicy.retries(after: .success(status), attempts: 1, isRepeatable: true) {
                Issue.record("asked for \(status)")
                return true
            }
        }
    }

    @Test func `three attempts are the most, and what cannot be sent again has one`() {
        let refused = Result<Int, UpstreamError>.failure(UpstreamError(.refused, "x"))
        for outcome in [.success(503), .success(404), refused] {
            #expect(Self.retries(after: outcome, attempts: AttemptPolicy.maxAttempts - 1))
            #expect(!Self.retries(after: outcome, attempts: AttemptPolicy.maxAttempts))
            #expect(!Self.retries(after: outcome, isRepeatable: false))
        }
    }
}
