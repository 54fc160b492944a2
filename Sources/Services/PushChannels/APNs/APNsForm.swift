package import GatewayAPI
package import Logging
package import Push
package import PushRoom
package import Schedules

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Tokens of Apple's devices, and the key with which the gateway sends to them.
package struct APNsForm: PushChannelForm {
    package static let path = PushChannelSetting(
        key: "push_apns_key", isPath: true, summary: "path of Apple's AuthKey_….p8, mode 0600; empty: no APNs")
    package static let keyID = PushChannelSetting(key: "push_apns_key_id", summary: "id of the key of APNs")
    package static let teamID = PushChannelSetting(key: "push_apns_team_id", summary: "id of the team at Apple")
    private static let authorities = PushChannelSetting(
        key: "push_apns_authorities", isPath: true,
        summary: "file with the authorities (PEM) to trust for APNs; empty: the system's")
    private static let origin = PushChannelSetting(
        key: "push_apns_origin",
        summary: "origin in place of Apple's, such as https://api.push.apple.com:2197; empty: Apple's")
    package static let bundleID = PushChannelSetting(
        key: "push_bundle_id", summary: "bundle id of apps that name none when they register")
    /// The environment of devices that name none: production, unless a request says otherwise.
    package static let environment = PushChannelSetting(key: "environment", summary: "")

    package static let settings = [path, keyID, teamID, authorities, origin, bundleID]
    package static let key: PushChannelSetting? = path
    package static let fields = ["apnsToken", "apnsChannel"]

    private let settings: PushChannelSettings

    package init(_ settings: PushChannelSettings) { self.settings = settings }

    package func channel(_ logger: Logger) throws(PushFieldError) -> APNsChannel? {
        guard let path = settings[Self.path] else { return nil }
        let key = try PrivateKeyFile.text(path, field: Self.path.key)
        let signer = try APNsSigner(keyID: settings[Self.keyID] ?? "", teamID: settings[Self.teamID] ?? "", key: key)
        var apns = APNsSettings(signer: signer)
        apns.tokenFile = APNsTokenFile(path: APNsTokenFile.path(of: key, besides: settings.database), of: signer)
        apns.authorities = settings[Self.authorities]
        if let origin = settings[Self.origin] {
            let url = try PushURL(origin, field: Self.origin.key)
            for environment in APNsEnvironment.allCases { apns.origins[environment] = url.origin }
        }
        return APNsChannel(apns, logger: logger)
    }

    package func address(in request: PushDeviceRequest) throws(PushFieldError) -> PushAddress? {
        guard request.apnsToken != nil || request.apnsChannel != nil else { return nil }
        guard let bundle = request.bundleId ?? settings[Self.bundleID] else {
            throw PushFieldError("bundleId", "is required: the gateway has no bundle id of its own")
        }
        if let token = request.apnsToken?.lowercased() {
            _ = try APNsTarget(token: token, bundle: bundle)
            var members: [String: JSONValue] = ["token": .string(token)]
            if let text = request.apnsType { members["type"] = .string(try Self.type(text).rawValue) }
            return (token, JSONValue.object(members).text)
        }
        guard let channel = request.apnsChannel else { return nil }
        guard request.apnsType == nil else { throw PushFieldError("apnsType", "belongs to a token") }
        do throws(PushFieldError) { _ = try APNsTarget(channel: channel, bundle: bundle) } catch {
            throw PushFieldError("apnsChannel", error.reason)
        }
        return ("channel \(bundle) \(channel)", JSONValue.object(["channel": .string(channel)]).text)
    }

    /// Reads a kind of push.
    private static func type(_ text: String) throws(PushFieldError) -> APNsPushType {
        guard let type = APNsPushType(rawValue: text) else {
            let list = APNsPushType.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw PushFieldError("apnsType", "expected one of \(list)")
        }
        return type
    }

    package func target(of device: StoredPushDevice, usesOther: Bool) throws(PushFieldError) -> PushTarget {
        let members = try device.members()
        guard let bundle = device.bundleID ?? settings[Self.bundleID] else {
            throw PushFieldError("bundleId", "the device has no bundle id; register it again")
        }
        let environment =
            device.environment.flatMap(APNsEnvironment.init)
            ?? settings[Self.environment].flatMap(APNsEnvironment.init) ?? .production
        if case .string(let channel)? = members["channel"] {
            return .apns(APNsDestination(try APNsTarget(channel: channel, bundle: bundle), environment: environment))
        }
        guard case .string(let token)? = members["token"] else {
            throw PushFieldError("token", "the device has no token; register it again")
        }
        var destination = APNsDestination(
            try APNsTarget(token: token, bundle: bundle), environment: usesOther ? environment.other : environment)
        if case .string(let text)? = members["type"] { destination.type = try Self.type(text) }
        return .apns(destination)
    }

    package static func hint(_ members: [String: JSONValue]) -> String {
        guard case .string(let token)? = members["token"] else { return "" }
        return "…" + token.suffix(6)
    }

    package static func isSpecial(_ target: String) -> Bool {
        // The address of nearly every device is a token and nothing else, and a message to all looks at all of them.
        let bytes = target.utf8
        if bytes.starts(with: #"{"token":""#.utf8), bytes.count(where: { $0 == UInt8(ascii: "\"") }) == 4 {
            return false
        }
        return target.contains("\"type\":") || target.contains("\"channel\":")
    }

    package func keyFinding(_ now: Instant) -> PushFinding? {
        guard let path = settings[Self.path] else {
            return PushFinding("APNs key", .ok, "none, so no app gets notifications (\(Self.path.variable))")
        }
        return PushDoctor.apnsKey(
            path, keyID: settings[Self.keyID] ?? "", teamID: settings[Self.teamID] ?? "", now: now)
    }

    package func serviceFindings(_ logger: Logger, _ now: Instant) async throws(PushFieldError) -> [PushFinding] {
        guard settings[Self.path] != nil else { return [] }
        guard let bundle = settings[Self.bundleID] else {
            return [
                PushFinding(
                    "APNs", .warning, "is not asked, since no bundle id is set",
                    remedy: "set \(Self.bundleID.variable) to that of the app")
            ]
        }
        guard let channel = try channel(logger) else { return [] }
        var found: [PushFinding] = []
        for environment in APNsEnvironment.allCases {
            found.append(
                await PushDoctor.apns(
                    channel, bundle: bundle, environment: environment, id: UUID().uuidString.lowercased(), now: now))
        }
        await channel.shutdown(within: .seconds(1))
        return found
    }
}

/// A target of APNs with what it was registered with.
package struct APNsDestination: Sendable, Hashable {
    /// The token and the app.
    package var target: APNsTarget
    /// Where the token is valid.
    package var environment: APNsEnvironment
    /// The type of the push; nil for the type that fits the message.
    package var type: APNsPushType?

    package init(_ target: APNsTarget, environment: APNsEnvironment, type: APNsPushType? = nil) {
        self.target = target
        self.environment = environment
        self.type = type
    }
}
