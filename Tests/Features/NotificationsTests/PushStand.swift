import Foundation
import GatewayAPI
import KeyRoom
import Logging
import Push
import PushChannels
import PushRoom
import Schedules
import Server
import ServiceLifecycle
import Storage

@testable import Notifications

/// A service with a database of its own and a recording channel.
struct PushStand: Sendable {
    let folder: URL
    let database: GatewayDatabase
    let service: PushService
    let channel: RecordingChannel

    static func with(
        _ channel: RecordingChannel = RecordingChannel(), _ environment: [String: String] = [:],
        clock: ManualClock? = nil, _ body: (PushStand) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "selene-push-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "notes.sqlite").path
        let database =
            if let clock {
                try GatewayDatabase(path: path, clock: { clock.now.milliseconds })
            } else {
                try GatewayDatabase(path: path)
            }
        let stand = PushStand(
            folder: folder, database: database, service: try service(database, channel, environment), channel: channel)
        try await body(stand)
        try? database.close()
    }

    static func service(
        _ database: GatewayDatabase, _ channel: RecordingChannel, _ environment: [String: String] = [:]
    ) throws -> PushService {
        let reader = try SettingsReader(PushSettings.all, flags: [:], environment: environment, file: nil)
        return PushService(
            in: database, database: database, channels: PushChannelSet([StreamChannel(), channel]),
            settings: try PushSettings(reader), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Registers a webhook.
    @discardableResult
    func device(_ name: String = "phone", settings: PushDeviceSettings? = nil) async throws -> StoredPushDevice {
        let url = "https://\(name).example.com/"
        let device = try await database.push.devices.register(
            PushRegistration(
                name: name, channel: "webhook", address: url, target: WebhookForm.target(url, secret: nil))
        ).device
        guard let settings else { return device }
        var change = PushDeviceChange()
        change.settings = String(decoding: try JSONEncoder().encode(settings), as: UTF8.self)
        return try await database.push.devices.change(device.uuid, change)
    }

    func order(_ title: String, _ change: (inout PushMessage) -> Void = { _ in }) -> PushOrder {
        var message = PushMessage()
        message.title = title
        change(&message)
        return PushOrder(message)
    }

    /// Runs services while the body runs, then shuts them down gracefully.
    func running(_ services: [any Service], _ body: () async throws -> Void) async throws {
        let group = ServiceGroup(
            services: services, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let task = Task { try await group.run() }
        do { try await body() } catch {
            await group.triggerGracefulShutdown()
            _ = try? await task.value
            throw error
        }
        await group.triggerGracefulShutdown()
        try await task.value
    }

    /// The states of a notification's deliveries.
    func states(_ id: String) async throws -> [PushState] {
        try await database.push.outbox.find(id).deliveries.map(\.delivery.state)
    }
}
