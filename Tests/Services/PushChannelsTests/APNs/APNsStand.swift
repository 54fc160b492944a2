import FakeAPNs
import Foundation
import Logging
import Push
import Schedules
import TestSupport

@testable import PushChannels

/// Both environments of a synthetic APNs, and a channel to them.
struct APNsStand {
    let production: FakeAPNs
    let sandbox: FakeAPNs
    let channel: APNsChannel
    /// The clock that nobody sets.
    let uptime = Locked<Int64>(0)
    private let folder: TemporaryFolder
    static let start = Instant(seconds: Int64(Date().timeIntervalSince1970))

    init(
        _ options: FakeAPNs.Options = FakeAPNs.Options(), sandbox other: FakeAPNs.Options = FakeAPNs.Options(),
        signer keyID: String? = nil, _ change: (inout APNsSettings) -> Void = { _ in }
    ) async throws {
        folder = try TemporaryFolder()
        production = try await FakeAPNs.start(options, folder: folder.path("tls"))
        sandbox = try await FakeAPNs.start(other, folder: folder.path("tls"), key: production.key)
        var settings = APNsSettings(
            signer: try APNsSigner(keyID: keyID ?? options.keyID, teamID: options.teamID, key: production.key))
        settings.origins = [.production: production.baseURL, .sandbox: sandbox.baseURL]
        settings.authorities = production.authorities
        change(&settings)
        let uptime = uptime
        channel = APNsChannel(settings, logger: Logger(label: "test")) { uptime.value }
    }

    static func id(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "a", count: 64 - digits.count) + digits
    }

    static func attempt(
        _ number: Int, to environment: APNsEnvironment = .production, now: Instant = start,
        history: PushAttempt.History = PushAttempt.History(), _ change: (inout PushMessage) -> Void = { _ in }
    ) throws -> PushAttempt {
        var message = PushMessage()
        message.title = "Tide"
        message.body = "High water at \(number)"
        change(&message)
        let target = try APNsTarget(token: token(number), bundle: "com.example.app")
        return PushAttempt(
            id: id(number), message: message, topic: "tides",
            target: .apns(APNsDestination(target, environment: environment)), created: now, now: now, history: history)
    }

    /// The verdicts of many pushes at once, counted.
    func sendAll(_ numbers: Range<Int>, now: Instant = start) async throws -> [PushVerdict: Int] {
        try await withThrowingTaskGroup(of: PushVerdict.self) { group in
            for number in numbers {
                let attempt = try Self.attempt(number, now: now)
                group.addTask { await channel.send(attempt).verdict }
            }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }

    func stop() async throws {
        await channel.shutdown(within: .seconds(1))
        try await production.stop()
        try await sandbox.stop()
    }
}
