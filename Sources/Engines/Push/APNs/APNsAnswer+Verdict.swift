import Schedules

extension APNsAnswer {
    /// The table of all reasons.
    func verdict(of reason: APNsReason, _ attempt: Attempt) -> (PushVerdict, String) {
        switch reason {
        case .badDeviceToken: return badToken(attempt)
        case .expiredToken, .unregistered:
            let since = timestamp ?? attempt.sent
            return (.retire(registeredBefore: since), "the token is dead since \(since)")
        case .channelNotRegistered:
            return (.retire(registeredBefore: attempt.sent), "the broadcast channel does not exist any more")

        case .deviceTokenNotForTopic:
            return (.misconfigured, "the token is not of this app; check the bundle id")
        case .badTopic, .missingTopic, .topicDisallowed, .topicMismatch:
            return (.misconfigured, "the bundle id is not accepted; check it, and what the key may send")
        case .featureNotEnabled:
            return (.misconfigured, "the app has no broadcasts; switch them on in the developer account")
        case .badPath, .methodNotAllowed:
            return (.misconfigured, "the request did not reach APNs' interface; check its address")

        case .expiredProviderToken where !attempt.renewedToken:
            return (.renewToken, "the provider token is too old; a new one is signed")
        case .expiredProviderToken:
            return (.stop, "a new provider token is too old, too; check the clock of this machine")
        case .invalidProviderToken, .missingProviderToken:
            return (.stop, "the provider token is not accepted; check key, key id and team id")
        case .unrelatedKeyID:
            return (
                .stop, "the key is not of the team or topic of this connection; check it, and open a new connection"
            )
        case .badEnvironmentKeyID:
            return (.stop, "the key is for the other environment; use a key for this one")
        case .badCertificate, .badCertificateEnvironment, .forbidden:
            return (.stop, "sending is not allowed; check the key in the developer account")

        case .tooManyProviderTokenUpdates:
            return (.retry(after: APNsTokenLife.pause), "provider tokens changed too often; the old one stays in use")
        case .tooManyRequests:
            return (.retry(after: Self.devicePause), "too many pushes for this device")
        case .idleTimeout, .shutdown:
            return (.retry(after: nil), "APNs closed the connection")
        case .internalServerError, .serviceUnavailable:
            return (.retry(after: Self.pause), "APNs has a failure of its own")

        case .payloadTooLarge, .payloadEmpty:
            return (.refused, "the payload has the wrong size")
        case .badCollapseID, .badDate, .badExpirationDate, .badMessageID, .badPriority, .duplicateHeaders,
            .invalidPushType, .missingDeviceToken, .missingPushType, .badChannelID, .missingChannelID:
            return (.refused, "the request has a field that APNs does not accept")
        }
    }

    /// A token that APNs cannot read, or of the other environment.
    private func badToken(_ attempt: Attempt) -> (PushVerdict, String) {
        if attempt.tokenHasWorked {
            return (.misconfigured, "the token worked before; check environment and bundle id")
        }
        if attempt.triedOtherEnvironment {
            return (.retire(registeredBefore: attempt.sent), "neither environment knows the token")
        }
        return (.otherEnvironment, "the token may be of the other environment")
    }

    /// For answers without a reason, or with one that Apple added later.
    static func verdict(ofStatus status: Int, _ since: Instant) -> (PushVerdict, String) {
        switch status {
        case 400, 413: (.refused, "the push is not accepted")
        case 401, 403: (.stop, "the provider token is not accepted")
        case 410: (.retire(registeredBefore: since), "the token is dead since \(since)")
        case 408: (.retry(after: nil), "the request took too long")
        case 429: (.retry(after: devicePause), "too many requests")
        case 500...599: (.retry(after: pause), "a failure of the service")
        default: (.misconfigured, "not an answer of APNs; check its address and proxies")
        }
    }
}
