import Database
import GatewayAPI
import Push
import PushChannels
import PushRoom
import Schedules

/// Reads topics as ntfy's clients do.
///
/// All readers share one device, which the first of them registers. It gets every message that names no devices, by its
/// own rules, so a reader sees what was sent, in the order of sending, and nothing that was addressed to others.
struct NtfyReader: Sendable {
    /// How often a quiet reader gets `keepalive`. ntfy's clients give up after 77 seconds.
    static let keepAlive = Duration.seconds(45)
    /// The name and the address of the device.
    static let device = "ntfy"
    private static let channel = PushChannelKind.stream.rawValue
    private static let batch = 100
    /// Messages that wait for their time, at most.
    private static let maxScheduled = 1000

    private let reading: PushReading
    private let subscription: NtfySubscription
    private let device: StoredPushDevice
    /// Whether the client left.
    var isOver: @Sendable () -> Bool = { Task.isCancelled }
    private let place: StreamHub.Reader
    /// The last event that the reader looked at; nil before the first look.
    private var seen: Int64?
    /// When the client was told last that the connection is alive.
    private var told = ContinuousClock.now
    private var isDone = false
    /// Whether the messages that wait for their time are still to be read.
    private var lacksScheduled: Bool

    /// The signal that ends a wait.
    var wakeSignal: WakeSignal { place.wakeSignal }

    /// Registers the device if it is not there.
    ///
    /// - Throws: ``StorageError``.
    init(_ subscription: NtfySubscription, _ reading: PushReading) async throws {
        (self.reading, self.subscription) = (reading, subscription)
        lacksScheduled = subscription.hasScheduled
        device = try await Self.register(at: reading.room)
        try await reading.room.devices.markSeen(device.id)
        place = reading.hub.join(device.uuid)
    }

    /// The device that all readers share, which is registered when it is not there.
    ///
    /// - Throws: ``StorageError``.
    @discardableResult
    static func register(at room: PushRoom) async throws -> StoredPushDevice {
        if let known = try await room.devices.find(channel: channel, address: device) { return known }
        let registration = PushRegistration(name: device, channel: channel, address: device, target: "{}")
        return try await room.devices.register(registration).device
    }

    /// Waits for the next events; nil at the end: the client left, or a poll has them all.
    @concurrent mutating func next() async throws -> [JSONValue]? {
        let log = reading.room.log
        guard !isDone else { return nil }
        guard let known = seen else {
            // The reader joined before it reads rows, and knows where it starts before the client does: nothing falls between.
            seen = try await log.position(of: start, device: device.id)
            guard !subscription.isPoll else { return [] }
            return [NtfyEvent.open(topics: subscription.topics, id: Self.newID(), time: PushTime.now.seconds)]
        }
        var from = known
        while !isOver() {
            let signals = place.hub.signals
            let batch = try await log.events(
                after: from, device: device.id, kinds: ["sent", "recalled"], hasBodies: true, limit: Self.batch)
            guard case .events(let events, let newest) = batch else {
                if case .reset(let newest) = batch { from = newest }
                continue
            }
            (from, seen) = (newest, newest)
            let isLast = events.count < Self.batch
            isDone = isLast && subscription.isPoll
            var shown = events.compactMap(shown)
            if isLast, lacksScheduled {
                lacksScheduled = false
                shown += try await scheduled()
            }
            guard shown.isEmpty, !isDone else { return shown }
            guard isLast else { continue }
            if ContinuousClock.now - told >= Self.keepAlive {
                told = .now
                try await reading.room.devices.markSeen(device.id)
                return [
                    NtfyEvent.keepalive(topics: subscription.topics, id: Self.newID(), time: PushTime.now.seconds)
                ]
            }
            await place.wait(
                after: newest, signals: signals, until: told + Self.keepAlive, isOver: isOver,
                newestEvent: log.newestEvent)
        }
        return nil
    }

    private var start: PushLogStart {
        switch subscription.start {
        case .next: .next
        case .oldest: .oldest
        case .newest: .newest(topics: subscription.topics)
        case .at(let instant): .at(instant.milliseconds)
        case .after(let id): .after(id)
        }
    }

    /// The messages that wait for their time, as ntfy's clients read them: their time is that at which they are to be sent.
    private func scheduled() async throws -> [JSONValue] {
        let waiting = try await reading.room.log.scheduled(
            device: device.id, channel: Self.channel, now: PushTime.now.milliseconds, limit: Self.maxScheduled)
        return waiting.compactMap { stored in
            guard let value = (try? JSONDocument(parsing: Array(stored.body)))?.value,
                let shown = reading.pictures.shown(value, of: stored.uuid), let message = try? PushMessage(shown),
                let form = NtfyMessage(
                    message, id: stored.uuid, topic: stored.topic, time: (stored.notBefore ?? 0) / 1000),
                subscription.takes(form)
            else { return nil }
            return form.json
        }
    }

    /// An event as ntfy's clients read it; nil for what they do not see.
    private func shown(_ stored: StoredPushEvent) -> JSONValue? {
        guard let id = stored.message, let topic = stored.topic,
            let value = stored.body.flatMap({ (try? JSONDocument(parsing: Array($0)))?.value }),
            let shown = reading.pictures.shown(value, of: id), let message = try? PushMessage(shown)
        else { return nil }
        let time = stored.at / 1000
        guard stored.kind == "sent" else {
            guard subscription.takesRemoval(of: id, in: topic) else { return nil }
            return NtfyEvent.removal(of: message.collapseID ?? id, topic: topic, id: Self.newID(), time: time)
        }
        guard let form = NtfyMessage(message, id: id, topic: topic, time: time), subscription.takes(form) else {
            return nil
        }
        return form.json
    }

    /// An id of an event that is no message.
    private static func newID() -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        return String((0..<12).map { _ in letters[Int.random(in: 0..<letters.count)] })
    }
}
