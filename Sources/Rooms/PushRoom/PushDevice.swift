import Database
package import Foundation

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

    /// The columns that ``init(_:from:)`` reads, in their order.
    static func columns(_ words: SQLDialect) -> String {
        """
        d.id, d.uuid, \(words.bounded("d.name", 4096)), d.channel, \(words.bounded("d.target", 16 << 10)), d.platform,
        d.environment, d.bundle_id, d.owner, \(words.bounded("d.settings", 64 << 10)), d.is_automation, d.is_hidden,
        d.has_worked, \(words.bounded("d.retired", 4096)), d.registered_at, d.created_at, d.seen_at
        """
    }

    /// The number of columns.
    static let columnCount = 17

    /// Reads a row; nil for one that another program changed beyond reading.
    ///
    /// - Parameter first: The place of the first column.
    init?(_ row: SQLRow, from first: Int = 0) {
        guard let id = row.integer(first), let uuid = row.text(first + 1), let channel = row.text(first + 3),
            let target = row.text(first + 4)
        else { return nil }
        self.id = id
        self.uuid = uuid
        self.channel = channel
        self.target = target
        name = row.text(first + 2) ?? ""
        platform = row.text(first + 5)
        environment = row.text(first + 6)
        bundleID = row.text(first + 7)
        owner = row.integer(first + 8)
        settings = row.text(first + 9) ?? "{}"
        isAutomation = row.bool(first + 10)
        isHidden = row.bool(first + 11)
        hasWorked = row.bool(first + 12)
        retired = row.text(first + 13)
        registeredAt = row.integer(first + 14) ?? 0
        createdAt = row.integer(first + 15) ?? 0
        seenAt = row.integer(first + 16)
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
    /// Whether the address of another key's device becomes this one's.
    package var mayTakeOver = false
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
