package import GatewayAPI
package import Logging
package import Push
package import PushRoom
package import Schedules

/// What makes an address unique within its channel, nil for the device's owner and name; and its stored JSON.
package typealias PushAddress = (unique: String?, target: String)

/// What a channel brings besides sending: its settings, the addresses of its devices, and its checks.
package protocol PushChannelForm: Sendable {
    associatedtype Channel: PushChannel

    /// The settings that are the channel's alone.
    static var settings: [PushChannelSetting] { get }
    /// The setting with its key, without which it does not send; nil for a channel that needs none.
    static var key: PushChannelSetting? { get }
    /// The fields of a registration with an address.
    static var fields: [String] { get }
    /// Whether only a key that sends may register a device, since it makes the gateway send requests.
    static var needsSender: Bool { get }

    /// The end of a stored address, to tell devices apart; never enough to send to it.
    static func hint(_ members: [String: JSONValue]) -> String

    /// Whether a stored address takes only one kind of push, such as the updates of a widget: it gets what names it, and no
    /// message to all.
    static func isSpecial(_ target: String) -> Bool

    init(_ settings: PushChannelSettings)

    /// Makes the channel; nil without its key.
    ///
    /// - Throws: ``PushFieldError`` with the name of the setting.
    func channel(_ logger: Logger) throws(PushFieldError) -> Channel?

    /// Reads what a registration says of an address; checks all of it. nil for one without an address of this channel.
    func address(in request: PushDeviceRequest) throws(PushFieldError) -> PushAddress?

    /// The target of a stored device, checked again: another program may have changed the row, and the lists of allowed
    /// hosts may have changed since.
    ///
    /// - Parameter usesOther: Whether the other environment of APNs is to be tried.
    func target(of device: StoredPushDevice, usesOther: Bool) throws(PushFieldError) -> PushTarget

    /// Checks the key without the network; nil for a channel that needs none.
    func keyFinding(_ now: Instant) -> PushFinding?

    /// Asks the channel's service. Nothing reaches a device.
    func serviceFindings(_ logger: Logger, _ now: Instant) async throws(PushFieldError) -> [PushFinding]
}

extension PushChannelForm {
    package static var settings: [PushChannelSetting] { [] }
    package static var key: PushChannelSetting? { nil }
    package static var needsSender: Bool { false }
    package static func isSpecial(_ target: String) -> Bool { false }
    package func keyFinding(_ now: Instant) -> PushFinding? { nil }
    package func serviceFindings(_ logger: Logger, _ now: Instant) async throws(PushFieldError) -> [PushFinding] { [] }

    /// The origin of the URL of the address.
    package static func hint(_ members: [String: JSONValue]) -> String {
        guard case .string(let url)? = members["endpoint"] ?? members["url"] else { return "" }
        return (try? PushURL(url, field: "url"))?.origin ?? ""
    }
}

/// A setting of one channel. It is empty by default.
package struct PushChannelSetting: Sendable {
    /// The key in the configuration file.
    package let key: String
    package var isPath = false
    /// What it does, in one line.
    package let summary: String

    /// The environment variable.
    package var variable: String { "SELENE_" + key.uppercased() }
}

/// What the configuration says of channels.
package struct PushChannelSettings: Sendable {
    /// The channels' own settings by key, without empty ones.
    private var values: [String: String] = [:]
    /// The address of the web client, which notifications open.
    package var home = ""
    /// Whether webhooks, requests of buttons and pictures may be of private networks.
    package var allowsPrivateURLs = false
    /// The path of the database; files of keys and tokens are beside it.
    package private(set) var database = ""

    package init() {}

    package func besides(_ database: String) -> PushChannelSettings {
        var settings = self
        settings.database = database
        return settings
    }

    package subscript(setting: PushChannelSetting) -> String? {
        get { values[setting.key] }
        set { values[setting.key] = newValue.flatMap { $0.isEmpty ? nil : $0 } }
    }
}

extension JSONValue {
    /// The JSON as it is stored.
    var text: String { String(decoding: json, as: UTF8.self) }
}

extension StoredPushDevice {
    /// The kind of its channel; nil for one that another program wrote.
    package var kind: PushChannelKind? { PushChannelKind(rawValue: channel) }

    /// Whether the device takes only one kind of push, and no message to all.
    package var isSpecial: Bool { kind?.form.isSpecial(target) ?? false }

    /// The end of the address, to tell devices apart.
    package var hint: String { (try? members()).flatMap { kind?.form.hint($0) } ?? "" }

    /// The stored address.
    func members() throws(PushFieldError) -> [String: JSONValue] {
        guard case .object(let members)? = (try? JSONDocument(parsing: Array(target.utf8)))?.value else {
            throw PushFieldError("target", "the device's address cannot be read; register it again")
        }
        return members
    }
}
