import Schedules
import TestSupport
import Testing

@testable import Push

struct APNsAnswerTests {
    static let sent = Instant(seconds: 1_700_000_000)
    static let death = Instant(milliseconds: 1_699_999_000_123)

    static let table: [(Int, String, PushVerdict)] = [
        (400, "BadCollapseId", .refused), (400, "BadDate", .refused), (400, "BadDeviceToken", .otherEnvironment),
        (400, "BadExpirationDate", .refused), (400, "BadMessageId", .refused), (400, "BadPriority", .refused),
        (400, "BadTopic", .misconfigured), (400, "DeviceTokenNotForTopic", .misconfigured),
        (400, "DuplicateHeaders", .refused), (400, "IdleTimeout", .retry(after: nil)),
        (400, "InvalidPushType", .refused),
        (400, "MissingDeviceToken", .refused), (400, "MissingPushType", .refused),
        (400, "MissingTopic", .misconfigured),
        (400, "PayloadEmpty", .refused), (400, "TopicDisallowed", .misconfigured),
        (400, "TopicMismatch", .misconfigured),
        (400, "BadChannelId", .refused), (400, "ChannelNotRegistered", .retire(registeredBefore: sent)),
        (400, "FeatureNotEnabled", .misconfigured), (400, "MissingChannelId", .refused), (403, "BadCertificate", .stop),
        (403, "BadCertificateEnvironment", .stop), (403, "BadEnvironmentKeyIdInToken", .stop),
        (403, "ExpiredProviderToken", .renewToken), (403, "Forbidden", .stop), (403, "InvalidProviderToken", .stop),
        (403, "MissingProviderToken", .stop), (403, "UnrelatedKeyIdInToken", .stop), (404, "BadPath", .misconfigured),
        (405, "MethodNotAllowed", .misconfigured), (410, "ExpiredToken", .retire(registeredBefore: sent)),
        (410, "Unregistered", .retire(registeredBefore: sent)), (413, "PayloadTooLarge", .refused),
        (429, "TooManyProviderTokenUpdates", .retry(after: 1200)), (429, "TooManyRequests", .retry(after: 60)),
        (500, "InternalServerError", .retry(after: 900)), (503, "ServiceUnavailable", .retry(after: 900)),
        (503, "Shutdown", .retry(after: nil)),
        // Reasons that are not known, and none.
        (400, "New", .refused), (400, "", .refused), (401, "", .stop), (403, "", .stop), (404, "", .misconfigured),
        (408, "", .retry(after: nil)), (410, "New", .retire(registeredBefore: sent)), (413, "", .refused),
        (429, "", .retry(after: 60)), (500, "", .retry(after: 900)), (502, "", .retry(after: 900)),
        (599, "", .retry(after: 900)), (302, "", .misconfigured), (600, "", .misconfigured), (0, "", .misconfigured),
        (200, "", .accepted), (204, "", .accepted),
    ]

    @Test(arguments: table) func `each answer has a verdict`(status: Int, reason: String, verdict: PushVerdict) {
        let body = reason.isEmpty ? "" : #"{"reason":"\#(reason)"}"#
        let answer = APNsAnswer(status: status, body: Array(body.utf8))
        let outcome = answer.outcome(of: APNsAnswer.Attempt(sent: Self.sent))
        #expect(outcome.verdict == verdict)
        #expect(outcome.explanation.contains(reason))
    }

    @Test func `the table has every reason`() {
        #expect(Set(Self.table.map(\.1)).isSuperset(of: APNsReason.allCases.map(\.rawValue)))
    }

    @Test(arguments: ["Unregistered", "ExpiredToken", "SomethingNew"])
    func `a dead token is retired by the time of its death`(reason: String) {
        let answer = APNsAnswer(status: 410, body: Array(#"{"reason":"\#(reason)","timestamp":1699999000123}"#.utf8))
        #expect(answer.outcome(of: .init(sent: Self.sent)).verdict == .retire(registeredBefore: Self.death))
    }

    @Test func `a bad token is tried in the other environment once, and kept if it worked before`() {
        let answer = APNsAnswer(status: 400, body: Array(#"{"reason":"BadDeviceToken"}"#.utf8))
        var attempt = APNsAnswer.Attempt(sent: Self.sent, triedOtherEnvironment: true)
        #expect(answer.outcome(of: attempt).verdict == .retire(registeredBefore: Self.sent))
        attempt.tokenHasWorked = true
        #expect(answer.outcome(of: attempt).verdict == .misconfigured)
        attempt.triedOtherEnvironment = false
        #expect(answer.outcome(of: attempt).verdict == .misconfigured)
    }

    @Test func `a new provider token that is too old stops the channel and names the clock`() {
        let answer = APNsAnswer(status: 403, body: Array(#"{"reason":"ExpiredProviderToken"}"#.utf8))
        let outcome = answer.outcome(of: .init(sent: Self.sent, renewedToken: true))
        #expect(outcome.verdict == .stop)
        #expect(outcome.explanation.contains("clock"))
    }

    @Test func `Retry-After makes a pause longer, not shorter`() {
        let answer = APNsAnswer(status: 429, body: Array(#"{"reason":"TooManyRequests"}"#.utf8))
        #expect(answer.outcome(of: .init(sent: Self.sent), retryAfter: 300).verdict == .retry(after: 300))
        #expect(answer.outcome(of: .init(sent: Self.sent), retryAfter: 5).verdict == .retry(after: 60))
        let shutdown = APNsAnswer(status: 503, body: Array(#"{"reason":"Shutdown"}"#.utf8))
        #expect(shutdown.outcome(of: .init(sent: Self.sent), retryAfter: 5).verdict == .retry(after: 5))
        let gone = APNsAnswer(status: 410, body: [])
        #expect(gone.outcome(of: .init(sent: Self.sent), retryAfter: 5).verdict == .retire(registeredBefore: Self.sent))
    }

    @Test(arguments: [
        "", "x", "[]", #"{"reason":7}"#, #"{"reason":""}"#, #"{"timestamp":-1}"#, #"{"timestamp":1e99}"#,
        #"{"timestamp":"1"}"#, "{\"reason\":\"\(String(repeating: "a", count: 5000))\"}", #"{"reason":"\n"}"#,
    ])
    func `odd bodies have no timestamp and no control characters`(body: String) {
        let answer = APNsAnswer(status: 410, body: Array(body.utf8))
        #expect(answer.timestamp == nil)
        #expect(answer.reason == nil)
    }

    @Test func `random answers never trap`() {
        var random = SeededGenerator(10)
        let pool = Array("{}[]\":,0129reason timestamp\\Un".utf8)
        for _ in 0..<20_000 {
            let body = (0..<Int.random(in: 0...40, using: &random)).compactMap { _ in pool.randomElement(using: &random)
            }
            let answer = APNsAnswer(status: Int.random(in: -1...700, using: &random), body: body)
            #expect(!answer.outcome(of: .init(sent: Self.sent)).explanation.isEmpty)
        }
    }
}
