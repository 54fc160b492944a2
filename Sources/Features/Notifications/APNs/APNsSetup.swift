import GatewayAPI
import Push
import PushChannels

/// The configuration of APNs that a request brought, as it is stored. The key is in a file of its own.
struct APNsSetup: Codable, Sendable, Hashable {
    /// The name of the stored setting.
    static let name = "apns"

    var keyId: String
    var teamId: String
    var bundleId: String
    var environment: String
    /// Tells the files of keys apart: 16 hexadecimal digits.
    var file: String

    /// The stored form.
    var document: String {
        let members = [
            "keyId": keyId, "teamId": teamId, "bundleId": bundleId, "environment": environment, "file": file,
        ]
        return String(decoding: JSONValue.object(members.mapValues(JSONValue.string)).json, as: UTF8.self)
    }

    /// The path of the key, beside the database.
    func path(besides database: String) -> String { "\(database)-apns-key-\(file).p8" }
}

extension APNsSetup {
    /// Reads the stored form; nil for one that another program changed beyond reading.
    init?(document: String) {
        guard let read = try? JSONDocument(parsing: Array(document.utf8)).decode(APNsSetup.self),
            read.file.utf8.count == 16,
            read.file.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        self = read
    }

    /// The settings with this configuration in them.
    func applied(to settings: PushChannelSettings) -> PushChannelSettings {
        var settings = settings
        settings[APNsForm.path] = path(besides: settings.database)
        settings[APNsForm.keyID] = keyId
        settings[APNsForm.teamID] = teamId
        settings[APNsForm.bundleID] = bundleId
        settings[APNsForm.environment] = APNsEnvironment(rawValue: environment)?.rawValue
        return settings
    }
}
