package import Push

/// What came of an attempt.
package struct PushReport: Sendable, Hashable {
    /// What to do, and why in words.
    package var outcome: PushOutcome
    /// The status of the answer; nil when there was none.
    package var status: Int?
    /// The service's own id of the message: `apns-unique-id` or `apns-id`, or the URL that Web Push calls the message.
    package var serviceID: String?
    /// What the service said: APNs' reason, or the begin of the answer's body, at most ``PushLimits/excerpt`` bytes of
    /// visible text; nil when it said nothing.
    package var said: String?
    /// The environment of APNs that answered. After an acceptance the device belongs to it.
    package var environment: APNsEnvironment?
    /// Milliseconds from the begin of the attempt to the answer.
    package var milliseconds: Int64

    package init(
        _ outcome: PushOutcome, status: Int? = nil, serviceID: String? = nil, said: String? = nil,
        environment: APNsEnvironment? = nil, milliseconds: Int64 = 0
    ) {
        self.outcome = outcome
        self.status = status
        self.serviceID = serviceID
        self.said = said
        self.environment = environment
        self.milliseconds = milliseconds
    }

    /// The verdict of ``outcome``.
    package var verdict: PushVerdict { outcome.verdict }
}
