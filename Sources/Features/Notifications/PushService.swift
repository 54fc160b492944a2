import GatewayAPI
package import Logging
import Delivery
package import Push
package import PushChannels
package import Schedules
package import Storage
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Takes notifications: checks them against their devices, stores them and wakes the worker.
package final class PushService: Sendable {
    package let database: GatewayDatabase
    package let hub = StreamHub()
    package let pictures: PictureFetcher
    let tally = OutboxTally()
    package let settings: PushSettings
    let services: PushServices
    let logger: Logger
    /// The signal of each channel's lane, and of the digests.
    let lanes: [PushChannelKind: WakeSignal]
    let digests = WakeSignal()
    let schedules = WakeSignal()
    private let live: Mutex<(channels: PushChannelSet, apns: APNsIdentity)>
    /// When the stored configuration of APNs was looked at for a delivery.
    let apnsLook = Mutex<ContinuousClock.Instant?>(nil)
    private let load = Mutex<[Int64?: (waiting: Int, at: ContinuousClock.Instant)]>([:])
    private let rules = Mutex<[String: DeviceRules]>([:])
    private let messages = Mutex<[(id: Int64, body: Data, message: PushMessage)]>([])
    private let zoneData: Mutex<(zones: ZoneDatabase, version: String?)>

    /// Messages in the cache at most: those that are being sent.
    private static let maxMessages = 8
    /// Senders whose waiting deliveries are cached, at most.
    private static let maxSenders = 100
    /// Rules in the cache at most.
    private static let maxRules = 1000

    /// - Throws: ``PushFieldError`` for a push service that cannot be read.
    package init(
        database: GatewayDatabase, channels: PushChannelSet, settings: PushSettings,
        zones: ZoneDatabase = ZoneDatabase(), logger: Logger
    ) throws {
        self.database = database
        live = Mutex(
            (
                channels,
                APNsIdentity(bundleID: settings.bundleID, environment: settings.isAPNsSandbox ? .sandbox : .production)
            ))
        self.settings = settings
        zoneData = Mutex((zones, zones.readVersion()))
        self.logger = logger
        pictures = PictureFetcher(settings, besides: database.path, logger: logger)
        services = try PushServices(PushServices.wellKnown + settings.services, field: "push_services")
        lanes = Dictionary(PushChannelKind.allCases.map { ($0, WakeSignal()) }, uniquingKeysWith: { first, _ in first })
    }

    /// The channels; that of APNs can be replaced while the gateway runs.
    package var channels: PushChannelSet { live.withLock { $0.channels } }

    /// What is used of the configuration of APNs.
    var apns: APNsIdentity { live.withLock { $0.apns } }

    /// Replaces the channel of APNs; returns the one before.
    func replace(_ channel: any PushChannel, _ identity: APNsIdentity) -> (any PushChannel)? {
        live.withLock { live in
            defer { live = (live.channels.replacing(channel), identity) }
            return live.channels[channel.kind]
        }
    }

    /// Notes why the stored configuration of APNs is not used; false when that is known already.
    func remember(_ problem: String) -> Bool {
        live.withLock { live in
            defer { live.apns.problem = problem }
            return live.apns.problem != problem
        }
    }

    /// The time.
    package var now: Instant { Instant(milliseconds: database.pushClock()) }

    /// The zones of the operating system.
    package var zones: ZoneDatabase { zoneData.withLock { $0.zones } }

    /// Reads the zones anew when their data changed; returns the version.
    package func refreshZones() -> String? {
        let version = zones.readVersion()
        let isNew = zoneData.withLock { data in
            guard data.version != version else { return false }
            data = (data.zones.reopened(), version)
            return true
        }
        if isNew { rules.withLock { $0.removeAll() } }
        return version
    }

    /// Creates a service with the channels of the settings: streams and webhooks, and those that have keys.
    ///
    /// - Throws: ``PushFieldError`` for a key or another setting that cannot be used.
    package convenience init(database: GatewayDatabase, settings: PushSettings, logger: Logger) throws {
        try self.init(
            database: database, channels: try PushChannelSet(settings, besides: database.path, logger: logger),
            settings: settings,
            logger: logger)
    }

    /// A message to send.
    package struct Order: Sendable {
        package var message: PushMessage
        package var topic = "default"
        /// Names or ids of devices; nil for all.
        package var devices: [String]?
        package var notBefore: Instant?
        package var source = "api"
        /// What caused it, unique over all servers; nil for a request.
        package var origin: String?
        package var sender: Int64?
        package var request: PushRequestName?

        package init(_ message: PushMessage) { self.message = message }
    }

    /// An order whose message has no picture in it: it is kept, and the message has its name.
    func keepingPicture(_ order: Order) async -> Order {
        guard let bytes = order.message.imageData, (try? order.message.check()) != nil else { return order }
        var order = order
        order.message.imageData = nil
        order.message.image = await pictures.keep(bytes, from: order.notBefore?.seconds).image
        return order
    }

    /// Stores a notification; it is durable when this returns.
    ///
    /// - Throws: ``PushRefusal``, ``StorageError``.
    package func submit(_ order: Order) async throws -> PushSubmission {
        try await checkLoad(order)
        let devices = try await self.devices(order.devices)
        let draft = try draft(await keepingPicture(order), to: devices)
        let submission = try await database.outbox.submit(draft, name: order.request)
        if !submission.isKnown { wake(devices) }
        return submission
    }

    /// The devices of an order.
    ///
    /// - Throws: ``PushRefusal/noDevice`` when there is none.
    package func devices(_ names: [String]?) async throws -> [StoredPushDevice] {
        var devices = try await database.pushDevices.live(names)
        if names == nil { devices.removeAll(where: DeviceTarget.isSpecial) }
        guard !devices.isEmpty else { throw PushRefusal.noDevice }
        return devices
    }

    /// Checks a message and makes it a draft.
    ///
    /// - Throws: ``PushRefusal`` with the field of the message.
    package func draft(_ order: Order, to devices: [StoredPushDevice]) throws(PushRefusal) -> PushDraft {
        let message = order.message
        try refusing("message.") { () throws(PushFieldError) in
            try message.check()
            try message.checkTargets(allowsPrivate: settings.allowsPrivateURLs)
        }
        guard Self.isTopic(order.topic) else {
            throw .field("topic", "expected 1 to 64 letters, digits, \"-\" and \"_\"")
        }
        let now = self.now
        if let expires = message.expires, let start = order.notBefore, expires <= start {
            throw .field("message.expires", "is not after the time at which the message is sent")
        }
        // Devices get the address that the picture has at the gateway.
        var sample = message
        if message.image != nil || message.imageData != nil {
            (sample.image, sample.imageData) = (pictures.sample, nil)
        }
        // Payloads differ by the kind of device only; what is wrong with one address fails its delivery.
        var checked: Set<String> = []
        for device in devices where !checked.contains(Self.kind(of: device)) {
            if try check(sample, topic: order.topic, for: device, now: now) { checked.insert(Self.kind(of: device)) }
        }
        var draft = PushDraft(
            topic: order.topic, priority: message.priority.rawValue, body: Data(message.json.json),
            source: order.source, devices: devices.map(\.id))
        draft.collapseKey = message.collapseID
        draft.notBefore = order.notBefore?.milliseconds
        draft.expires = message.expires?.milliseconds
        draft.origin = order.origin
        draft.sender = order.sender
        return draft
    }

    /// Devices of the same kind get payloads of the same size.
    private static func kind(of device: StoredPushDevice) -> String {
        if DeviceTarget.isSpecial(device) { return device.uuid }
        return device.isHidden ? device.channel + " hidden" : device.channel
    }

    /// Checks a message against the limits of a device's channel; false if the device's address cannot be read.
    func check(
        _ message: PushMessage, topic: String, for device: StoredPushDevice, now: Instant
    ) throws(PushRefusal) -> Bool {
        guard let kind = PushChannelKind(rawValue: device.channel), let channel = channels[kind] else { return true }
        let target: PushTarget
        do { target = try self.target(of: device) } catch { return false }
        let attempt = PushAttempt(
            id: "00000000-0000-4000-8000-000000000000", message: message, topic: topic, target: target, created: now,
            now: now)
        try refusing("message.") { () throws(PushFieldError) in try channel.check(attempt) }
        return true
    }

    /// The message of a delivery, read once for all devices; nil when it cannot be read.
    func message(of stored: StoredPushMessage) -> PushMessage? {
        let known = messages.withLock { $0.first { $0.id == stored.id && $0.body == stored.body }?.message }
        if let known { return known }
        guard let value = (try? JSONDocument(parsing: Array(stored.body)))?.value,
            let message = try? PushMessage(value)
        else { return nil }
        messages.withLock { messages in
            if messages.count >= Self.maxMessages { messages.removeFirst() }
            messages.append((stored.id, stored.body, message))
        }
        return message
    }

    func target(of device: StoredPushDevice, usesOther: Bool = false) throws(PushRefusal) -> PushTarget {
        let apns = apns
        return try DeviceTarget.target(
            of: device, usesOther: usesOther, bundle: apns.bundleID, environment: apns.environment,
            services: services, allowsPrivate: settings.allowsPrivateURLs)
    }

    /// The rules of a device, from a cache.
    func rules(of settings: String) -> DeviceRules {
        if let known = rules.withLock({ $0[settings] }) { return known }
        let read = (try? JSONDocument(parsing: Array(settings.utf8)).decode(PushDeviceSettings.self)).flatMap {
            try? DeviceRules($0, zones: zones)
        }
        let found = read ?? .none
        rules.withLock { rules in
            if rules.count >= Self.maxRules { rules.removeAll() }
            rules[settings] = found
        }
        return found
    }

    /// Wakes the lanes of devices.
    package func wake(_ devices: [StoredPushDevice]) {
        for kind in Set(devices.compactMap { PushChannelKind(rawValue: $0.channel) }) { lanes[kind]?.signal() }
    }

    /// Wakes everything, after a change that may make any delivery due.
    package func wakeAll() {
        for wakeSignal in lanes.values { wakeSignal.signal() }
        digests.signal()
        schedules.signal()
    }

    /// Whether a text is a topic: 1 to 64 letters, digits, `-` and `_`.
    package static func isTopic(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == 0x2D || byte == 0x5F
            }
    }

    /// Refuses new messages while too many deliveries wait: a key and those that it made may have a tenth of them, and the last
    /// tenth is kept for messages of high priority and to named devices. The count is at most a second old.
    func checkLoad(_ order: Order) async throws {
        let limit = settings.maxWaiting
        let share = max(1, limit / 10)
        let isUrgent = order.message.priority >= .high || order.devices != nil
        let waiting = try await openCount(of: nil, upTo: limit)
        guard waiting < (isUrgent ? limit : limit - limit / 10) else { throw PushRefusal.full(limit: limit) }
        // Nobody has more than all have.
        guard let sender = order.sender, waiting >= share else { return }
        guard try await openCount(of: sender, upTo: share) < share else { throw PushRefusal.shareFull(limit: share) }
    }

    /// Deliveries that wait, of a sender or of all; at most a second old.
    private func openCount(of sender: Int64?, upTo limit: Int) async throws -> Int {
        let now = ContinuousClock.now
        if let known = load.withLock({ $0[sender] }), now - known.at < .seconds(1) { return known.waiting }
        let outbox = database.outbox
        let waiting =
            if let sender { try await outbox.openCount(of: sender, upTo: limit) } else {
                try await outbox.openCount(upTo: limit)
            }
        load.withLock { load in
            if load.count >= Self.maxSenders { load.removeAll() }
            load[sender] = (waiting, now)
        }
        return waiting
    }
}
