package import Push
package import Schedules

/// Finds out whether notifications can be sent, and what to do if not.
package enum PushDoctor {
    /// A token that no device has.
    private static let nobody = String(repeating: "0", count: 64)

    /// Asks an environment of APNs to push to a token that no device has. Its refusal of the token proves that it
    /// accepted the key, the clock and the bundle id. Nothing reaches a device.
    ///
    /// - Parameters:
    ///   - id: A UUID in lower case.
    ///   - channel: Is used for nothing else meanwhile: a stop that the question causes is lifted.
    package static func apns(
        _ channel: APNsChannel, bundle: String, environment: APNsEnvironment, id: String, now: Instant
    ) async -> PushFinding {
        let check = "APNs \(environment.rawValue)"
        let target: APNsTarget
        do throws(PushFieldError) {
            target = try APNsTarget(token: nobody, bundle: bundle)
        } catch {
            return PushFinding(check, .problem, error.description, remedy: "correct the bundle id")
        }
        var message = PushMessage()
        message.title = "selene push doctor"
        let report = await channel.send(
            PushAttempt(
                id: id, message: message, topic: "doctor",
                target: .apns(APNsDestination(target, environment: environment)), created: now, now: now))
        channel.resume()
        return finding(check, report)
    }

    private static func finding(_ check: String, _ report: PushReport) -> PushFinding {
        func problem(_ remedy: String) -> PushFinding {
            PushFinding(check, .problem, report.outcome.explanation, remedy: remedy)
        }
        guard report.status != nil else {
            return problem("check that this machine reaches APNs on port 443 or 2197, and its certificates")
        }
        guard report.verdict != .accepted else {
            return problem("check the origin: APNs does not accept pushes to a token that no device has")
        }
        switch report.said.flatMap(APNsReason.init(rawValue:)) {
        case .badDeviceToken, .unregistered, .expiredToken:
            return PushFinding(check, .ok, "accepts the key, the clock and the bundle id (\(report.milliseconds) ms)")
        case .expiredProviderToken:
            return problem("set the clock of this machine; tokens may be an hour old at most")
        case .invalidProviderToken, .missingProviderToken, .unrelatedKeyID:
            return problem("check the key file, the key id and the team id")
        case .badEnvironmentKeyID:
            return PushFinding(
                check, .warning, report.outcome.explanation,
                remedy: "use a key for this environment if devices of it are registered")
        case .badTopic, .missingTopic, .topicDisallowed, .topicMismatch, .deviceTokenNotForTopic:
            return problem("check the bundle id, and the topics of the key in the developer account")
        default: return problem("try again later, and compare with Apple's status page")
        }
    }

    /// Checks the file of APNs' key with its ids. Does not use the network.
    package static func apnsKey(_ path: String, keyID: String, teamID: String, now: Instant) -> PushFinding {
        key("APNs key") {
            let text = try PrivateKeyFile.text(path, field: "key")
            let signer = try APNsSigner(keyID: keyID, teamID: teamID, key: text)
            _ = try signer.sign(at: now)
            return "signs as \(keyID) of team \(teamID)"
        }
    }

    /// Checks the file of the VAPID key and its subject. Does not use the network.
    package static func vapidKey(_ path: String, subject: String, now: Instant) -> PushFinding {
        key("Web Push key") {
            let signer = try VAPIDSigner(key: try PrivateKeyFile.text(path, field: "key"), subject: subject)
            _ = try signer.sign(origin: "https://example.com", at: now)
            return "signs as \(signer.publicKey)"
        }
    }

    private static func key(_ check: String, _ body: () throws -> String) -> PushFinding {
        do {
            return PushFinding(check, .ok, try body())
        } catch {
            return PushFinding(check, .problem, "\(error)", remedy: "correct the setting or the file")
        }
    }

    /// Checks the zone data that schedules use.
    package static func zones(_ database: ZoneDatabase, now: Instant) -> PushFinding {
        guard let version = database.readVersion(), let year = Int(version.prefix(4)) else {
            return PushFinding("zone data", .problem, "none found", remedy: "install the package tzdata")
        }
        // Rules change several times a year; two years are a sign that nothing updates them.
        let current = Int(now.description.prefix(4)) ?? year
        guard current - year < 2 else {
            return PushFinding(
                "zone data", .warning, "version \(version) is of \(year)", remedy: "update the package tzdata")
        }
        return PushFinding("zone data", .ok, "version \(version)")
    }
}
