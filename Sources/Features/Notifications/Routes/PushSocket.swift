package import Access
import Cryptography
import Database
import GatewayAPI
import HTTPTypes
import Hummingbird
import Push
import PushChannels
import PushRoom
import Schedules
package import Server

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The WebSocket of devices, with Pulpit's messages: a device signs in with its registration token, gets its notifications
/// and shortcuts to run, and reports results and whether it is ready.
///
/// Each message is a JSON object with a `type`. A device that names the last event that it has (`since`) gets what came
/// after it: without a gap and without a repeat. An unknown or pruned one gets one `reset`.
package struct PushSocket: Sendable {
    /// The path, as Pulpit's app has it.
    package static let path = "/ws"
    /// How long a client has to sign in.
    static let signIn = Duration.seconds(10)
    /// How often the device and its key are looked up again.
    static let check = Duration.seconds(30)
    private static let batch = 100
    private static let gone = "the device or its key is gone"

    private let reading: PushReading
    private let changes: PushChanges
    private let keys: KeyRing
    private let readers = EventReaders(of: "notifications over WebSockets", limit: 1000, limitOfKey: 64)

    package init(_ service: PushService, keys: KeyRing) {
        (reading, changes) = (service.reading, service.changes)
        self.keys = keys
    }

    package var route: WebSocketRoute {
        WebSocketRoute(Self.path) { connection, _ in await serve(connection) }
    }

    /// `GET /ws` of a client that does not ask for a WebSocket.
    @Sendable static func refuse(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        throw GatewayError(
            .upgradeRequired, .init(rawValue: "upgrade_required"), "expected a WebSocket: the field Upgrade: websocket",
            headers: [.upgrade: "websocket"])
    }

    private func serve(_ connection: WebSocketConnection) async {
        var messages = connection.messages.makeAsyncIterator()
        let deadline = Task {
            try await Task.sleep(for: Self.signIn)
            connection.refuse("no sign-in came within \(Self.signIn)")
        }
        let first = await messages.next()
        deadline.cancel()
        guard let first else { return }
        do {
            guard let (device, since) = try await signedIn(first) else {
                try await connection.send(Self.text(["type": .string("auth_error"), "error": .string("wrong token")]))
                return connection.refuse("wrong token")
            }
            let place = try readers.take(device.owner)
            defer { withExtendedLifetime(place) {} }
            try await reading.room.devices.markSeen(device.id)
            // The reader joins before it reads rows, and knows where it starts before the device does: nothing falls between.
            let reader = reading.hub.join(device.uuid)
            let start: Int64 = if let since { since } else { try await reading.room.log.newestEvent() }
            try await connection.send(
                Self.text(["type": .string("auth_ok"), "deviceId": .string(device.uuid), "eventId": .integer(start)]))
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    let reason = await copy(to: connection, of: device, after: start, reader)
                    // The other task waits for messages, which end with the connection.
                    connection.refuse(reason)
                }
                while let message = await messages.next() {
                    guard await take(message, from: device, connection) else { break }
                }
                group.cancelAll()
                reader.wakeSignal.signal()
            }
        } catch let error as GatewayError {
            connection.refuse(error.message)
        } catch {
            reading.logEnd("a WebSocket", error)
        }
    }

    // MARK: From the device

    /// The device of `{"type":"auth","token":…,"since":…}`; nil for a wrong token.
    private func signedIn(_ message: String) async throws -> (StoredPushDevice, Int64?)? {
        guard let members = Self.members(message), members["type"] == .string("auth"),
            case .string(let token)? = members["token"], token.utf8.count <= 256
        else { return nil }
        let hash = Data(SHA256.hash(data: Data(token.utf8)))
        guard let device = try await reading.room.devices.find(secret: hash), try await isAllowed(device) else {
            return nil
        }
        switch members["since"] {
        case .integer(let id)?: return (device, id)
        case .null?, nil: return (device, nil)
        // What is no number was never an id of ours: the device starts anew.
        default: return (device, .max)
        }
    }

    /// Whether the key that registered the device may still have devices.
    private func isAllowed(_ device: StoredPushDevice) async throws -> Bool {
        guard let owner = device.owner else { return true }
        return try await keys.isStillGood(key: owner, for: .pushReceive)
    }

    private func mayRunShortcuts(_ device: StoredPushDevice) async throws -> Bool {
        guard let owner = device.owner else { return true }
        return try await keys.isStillGood(key: owner, for: .pushSend)
    }

    /// Handles a message; false ends the connection.
    private func take(_ message: String, from device: StoredPushDevice, _ connection: WebSocketConnection) async -> Bool
    {
        guard let members = Self.members(message), case .string(let type)? = members["type"] else {
            connection.refuse("expected a JSON object with a type")
            return false
        }
        do {
            switch type {
            case "ping": try await connection.send(Self.text(["type": .string("pong")]))
            case "status":
                guard case .bool(let isReady)? = members["automationServerReady"] else { break }
                // A device that only receives gets no shortcuts of others.
                var may = !isReady
                if !may { may = try await mayRunShortcuts(device) }
                guard may else { break }
                var change = PushDeviceChange()
                change.isAutomation = isReady
                _ = try await reading.room.devices.change(device.uuid, change)
                try await reading.room.devices.markSeen(device.id)
            case "execute_result": try await note(members, of: device)
            default: break
            }
        } catch let error as StorageError {
            reading.logEnd("a message of a device", error)
        } catch {
            return false
        }
        return true
    }

    /// `{"type":"execute_result","id":DELIVERY,"success":…,"output":…}`
    private func note(_ members: [String: JSONValue], of device: StoredPushDevice) async throws {
        guard case .string(let id)? = members["id"], case .bool(let success)? = members["success"] else { return }
        let (_, owner, _) = try await reading.room.log.entry(id)
        guard owner?.id == device.id else { return }
        var output: String?
        for case .string(let text)? in [members["output"], members["error"]] where output == nil { output = text }
        _ = try await changes.note(
            .result(
                success, output: output.map { String(decoding: $0.utf8.prefix(PushReceipt.maxOutput), as: UTF8.self) }),
            of: id)
    }

    // MARK: To the device

    /// Sends events until the connection or the device's right to them ends; returns why.
    private func copy(
        to connection: WebSocketConnection, of device: StoredPushDevice, after start: Int64, _ reader: StreamHub.Reader
    ) async -> String {
        let log = reading.room.log
        var seen = start
        var (checked, asked) = (ContinuousClock.now, ContinuousClock.now)
        do {
            while !Task.isCancelled {
                let signals = reader.hub.signals
                switch try await log.events(
                    after: seen, device: device.id, kinds: ["sent", "recalled"], hasBodies: true, limit: Self.batch)
                {
                case .reset(let newest):
                    seen = newest
                    try await connection.send(Self.text(["type": .string("reset"), "eventId": .integer(newest)]))
                case .events(let events, let newest):
                    if !events.isEmpty, ContinuousClock.now - asked > .seconds(1) {
                        asked = .now
                        guard try await isAllowed(device) else { return Self.gone }
                    }
                    for event in events where !Self.wasPushed(event, device) {
                        var members = Self.message(of: event)
                        members["payload"] = reading.pictures.shown(members["payload"], of: event.message)
                        try await connection.send(Self.text(members))
                    }
                    seen = newest
                    if events.count == Self.batch { continue }
                    if ContinuousClock.now - checked > Self.check {
                        checked = .now
                        let now = try await reading.room.devices.find(device.uuid)
                        guard now.retired == nil, try await isAllowed(now) else { return Self.gone }
                        try await reading.room.devices.markSeen(device.id)
                        try await connection.send(Self.text(["type": .string("ping")]))
                    }
                    await reader.wait(
                        after: newest, signals: signals, until: checked + Self.check, isOver: { Task.isCancelled },
                        newestEvent: log.newestEvent)
                }
            }
            return ""
        } catch let error as StorageError where error.code == .notFound {
            return Self.gone
        } catch {
            reading.logEnd("a WebSocket", error)
            return "the notifications cannot be read"
        }
    }

    /// An event as Pulpit's app reads it, with the id to go on from.
    static func message(of stored: StoredPushEvent) -> [String: JSONValue] {
        var members: [String: JSONValue] = ["eventId": .integer(stored.id)]
        members["id"] = stored.delivery.map(JSONValue.string)
        guard stored.kind == "sent" else {
            members["type"] = .string("recall")
            return members
        }
        if let call = shortcut(of: stored) {
            members["type"] = .string("execute_shortcut")
            members["shortcutName"] = call["shortcutName"]
            members["input"] = call["input"]
            return members
        }
        members["type"] = .string("notification")
        members["topic"] = stored.topic.map(JSONValue.string)
        members["payload"] = body(of: stored) ?? .null
        return members
    }

    /// Whether an event is a shortcut that the device got by a push, so that it would run a second time.
    static func wasPushed(_ stored: StoredPushEvent, _ device: StoredPushDevice) -> Bool {
        device.channel != PushChannelKind.stream.rawValue && stored.kind == "sent"
            && stored.detail != StreamChannel.outcome.explanation && shortcut(of: stored) != nil
    }

    private static func body(of stored: StoredPushEvent) -> JSONValue? {
        stored.body.flatMap { (try? JSONDocument(parsing: Array($0)))?.value }
    }

    private static func shortcut(of stored: StoredPushEvent) -> [String: JSONValue]? {
        guard case .object(let fields)? = body(of: stored), case .object(let data)? = fields["data"],
            case .object(let call)? = data["execute_shortcut"]
        else { return nil }
        return call
    }

    private static func members(_ text: String) -> [String: JSONValue]? {
        guard case .object(let members)? = (try? JSONDocument(parsing: Array(text.utf8)))?.value else { return nil }
        return members
    }

    private static func text(_ members: [String: JSONValue]) -> String {
        String(decoding: JSONValue.object(members).json, as: UTF8.self)
    }
}
