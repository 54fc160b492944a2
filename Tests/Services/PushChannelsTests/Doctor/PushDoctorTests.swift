import FakeAPNs
import Foundation
import Push
import Schedules
import TestSupport
import Testing

@testable import PushChannels

@Suite(.serialized) struct PushDoctors {
    private func ask(_ stand: APNsStand, now: Instant = APNsStand.start) async -> PushFinding {
        await PushDoctor.apns(
            stand.channel, bundle: "com.example.app", environment: .production, id: APNsStand.id(1), now: now)
    }

    @Test(
        arguments: [
            (400, "BadDeviceToken", PushFinding.Severity.ok, "accepts"),
            (400, "TopicDisallowed", .problem, "bundle id"),
            (403, "BadEnvironmentKeyIdInToken", .warning, "environment"),
            (403, "InvalidProviderToken", .problem, "key id"), (503, "ServiceUnavailable", .problem, "later"),
        ])
    func `the answer to a token of nobody tells what is wrong`(
        status: Int, reason: String, severity: PushFinding.Severity, word: String
    ) async throws {
        var options = FakeAPNs.Options()
        options.answer = { _, _ in .reject(status, reason) }
        let stand = try await APNsStand(options)
        let finding = await ask(stand)
        #expect(finding.severity == severity)
        #expect("\(finding.message) \(finding.remedy ?? "")".contains(word))
        #expect(stand.channel.state == .ready)
        try await stand.stop()
    }

    @Test func `a wrong clock is named`() async throws {
        let stand = try await APNsStand()
        let finding = await ask(stand, now: APNsStand.start.adding(seconds: -86_400))
        #expect(finding.severity == .problem)
        #expect(finding.remedy?.contains("clock") == true)
        try await stand.stop()
    }

    @Test(.slow) func `an APNs that is out of reach is named, and one that takes everything`() async throws {
        let stand = try await APNsStand()
        #expect(await ask(stand).severity == .problem)
        try await stand.production.stop()
        stand.channel.resume()
        let finding = await ask(stand)
        #expect(finding.severity == .problem)
        #expect(finding.remedy?.contains("443") == true)
        await stand.channel.shutdown(within: .seconds(1))
        try await stand.sandbox.stop()
    }

    @Test func `keys are checked without the network, and not shown`() throws {
        let folder = try TemporaryFolder()
        let pem = FakeAPNs.newKey()
        let file = try folder.write("AuthKey.p8", pem)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let now = APNsStand.start
        let good = PushDoctor.apnsKey(file.path, keyID: "ABC123DEFG", teamID: "TEAM123456", now: now)
        #expect(good.severity == .ok)
        #expect(PushDoctor.vapidKey(file.path, subject: "mailto:a@example.com", now: now).severity == .ok)
        for finding in [
            PushDoctor.apnsKey(file.path, keyID: "short", teamID: "TEAM123456", now: now),
            PushDoctor.apnsKey(folder.path("none"), keyID: "ABC123DEFG", teamID: "TEAM123456", now: now),
            PushDoctor.vapidKey(file.path, subject: "mailto:a@localhost", now: now),
        ] {
            #expect(finding.severity == .problem)
            #expect(!finding.message.contains(pem.prefix(60).suffix(20)))
        }
    }

    @Test func `old and missing zone data are named`() throws {
        let folder = try TemporaryFolder()
        let zones = ZoneDatabase(folder: folder.url.path)
        let now = Instant(seconds: 1_795_000_000)
        #expect(PushDoctor.zones(zones, now: now).severity == .problem)
        try folder.write("tzdata.zi", "# version 2023c\n")
        #expect(PushDoctor.zones(zones, now: now).severity == .warning)
        try folder.write("tzdata.zi", "# version 2026a\n")
        #expect(PushDoctor.zones(zones, now: now).severity == .ok)
    }
}
