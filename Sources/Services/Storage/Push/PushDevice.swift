package import Foundation
import GRDB

/// A device that gets notifications. Times are milliseconds since 1970.
package struct StoredPushDevice: Sendable, Hashable {
    /// The row's id.
    package var id: Int64
    /// The id that clients see.
    package var uuid: String
    package var name: String
    /// How it is reached, such as `apns`.
    package var channel: String
    /// The address as JSON, in a form of the channel's.
    package var target: String
    package var platform: String?
    /// The environment of APNs.
    package var environment: String?
    package var bundleID: String?
    /// The key that registered it.
    package var owner: Int64?
    /// The device's rules for delivery as JSON.
    package var settings: String
    /// Whether it runs shortcuts for the gateway.
    package var isAutomation: Bool
    /// Whether it is the address of an action, which no list shows.
    package var isHidden: Bool
    /// Whether a service ever accepted a message for its address.
    package var hasWorked: Bool
    /// Why nothing is sent to it any more; nil for a live device.
    package var retired: String?
    package var registeredAt: Int64
    package var createdAt: Int64
    package var seenAt: Int64?

    static let columns = """
        d.id, d.uuid, \(ValueLimit.bounded("d.name", 4096)) AS name, d.channel,
        \(ValueLimit.bounded("d.target", 16 << 10)) AS target, d.platform, d.environment, d.bundle_id, d.owner,
        \(ValueLimit.bounded("d.settings", 64 << 10)) AS settings, d.is_automation, d.is_hidden, d.has_worked,
        \(ValueLimit.bounded("d.retired", 4096)) AS retired, d.registered_at, d.created_at, d.seen_at
        """

    /// Nil for a row that another program changed beyond reading.
    init?(_ row: Row) {
        guard let id = row.integer("id"), let uuid = row.text("uuid"), let channel = row.text("channel"),
            let target = row.text("target")
        else { return nil }
        self.id = id
        self.uuid = uuid
        self.channel = channel
        self.target = target
        name = row.text("name") ?? ""
        platform = row.text("platform")
        environment = row.text("environment")
        bundleID = row.text("bundle_id")
        owner = row.integer("owner")
        settings = row.text("settings") ?? "{}"
        isAutomation = row.count("is_automation") != 0
        isHidden = row.count("is_hidden") != 0
        hasWorked = row.count("has_worked") != 0
        retired = row.text("retired")
        registeredAt = row.integer("registered_at") ?? 0
        createdAt = row.integer("created_at") ?? 0
        seenAt = row.integer("seen_at")
    }
}

/// What a registration says of a device.
package struct PushRegistration: Sendable {
    package var name: String
    package var channel: String
    /// What makes the address unique within the channel: a token, an endpoint or a URL.
    package var address: String
    /// The address as JSON.
    package var target: String
    package var platform: String?
    package var environment: String?
    package var bundleID: String?
    package var owner: Int64?
    package var isAutomation = false
    package var isHidden = false
    /// SHA-256 of the registration token; nil keeps the stored one.
    package var secret: Data?

    package init(name: String, channel: String, address: String, target: String) {
        self.name = name
        self.channel = channel
        self.address = address
        self.target = target
    }
}

extension PushRegistration {
    /// The registration of an app by its token; nil for a text that is no token of APNs.
    package init?(apnsToken token: String, name: String) {
        let digits = token.lowercased()
        guard (64...400).contains(digits.utf8.count), digits.utf8.count % 2 == 0,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        self.init(name: name, channel: "apns", address: digits, target: #"{"token":"\#(digits)"}"#)
    }
}

/// A change of a device; nil keeps a field.
package struct PushDeviceChange: Sendable {
    package var name: String?
    package var settings: String?
    package var isAutomation: Bool?
    /// A new address: what makes it unique, and the JSON.
    package var address: (key: String, target: String)?
    package var environment: String?
    package var bundleID: String?

    package init() {}
}
