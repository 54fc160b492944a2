import Database
package import Logging
import Push
package import PushChannels
package import PushRoom
import Schedules

/// Looks for reasons why notifications do not arrive: keys, clock, zone data, services, devices and the outbox.
package struct PushCheckup: Sendable {
    /// Milliseconds that a delivery may be due before the doctor complains.
    static let maxDelay: Int64 = 120_000
    /// Deliveries of a lane that are counted.
    private static let counted = 1_000_000

    private var settings: PushChannelSettings
    private let room: PushRoom?
    private let logger: Logger

    /// - Parameters:
    ///   - room: nil when there is none yet; its checks are left out then.
    ///   - databasePath: The provider token of APNs is shared with the server through a file beside the database.
    package init(_ settings: PushSettings, room: PushRoom?, databasePath: String, logger: Logger) {
        self.settings = settings.channels.besides(databasePath)
        self.room = room
        self.logger = logger
    }

    /// Runs all checks.
    ///
    /// - Parameter usesNetwork: Whether APNs is asked. Nothing reaches a device.
    /// - Throws: ``StorageError`` when the database cannot be read.
    package func findings(usesNetwork: Bool) async throws -> [PushFinding] {
        guard settings[APNsForm.path] == nil, let setup = try await room?.library.setting(APNsSetup.name) else {
            return try await examine(usesNetwork: usesNetwork)
        }
        guard let setup = APNsSetup(document: setup) else {
            return [
                PushFinding(
                    "APNs key", .problem, "its stored configuration cannot be read", remedy: "selene push apns set")
            ]
                + (try await examine(usesNetwork: usesNetwork))
        }
        var checkup = self
        checkup.settings = setup.applied(to: settings)
        return try await checkup.examine(usesNetwork: usesNetwork)
    }

    private func examine(usesNetwork: Bool) async throws -> [PushFinding] {
        let now = PushTime.now
        var all = PushChannelKind.allCases.compactMap { $0.form.init(settings).keyFinding(now) }
        all.append(try await clock(now))
        all.append(PushDoctor.zones(ZoneDatabase(), now: now))
        if usesNetwork { all += await services(now) }
        guard let room else { return all }
        all += devices(try await room.devices.counts())
        all += outbox(
            try await room.outbox.backlog(of: PushChannelKind.allCases.map(\.rawValue), upTo: Self.counted), now)
        return all
    }

    /// A clock that is behind makes tokens that services refuse, and schedules late.
    private func clock(_ now: Instant) async throws -> PushFinding {
        let newest = try await room?.outbox.newestDelivery() ?? 0
        guard newest <= now.milliseconds + 60_000 else {
            return PushFinding(
                "clock", .problem, "it says \(now), but a notification was stored at \(PushTime.text(newest))",
                remedy: "if the clock is behind: timedatectl set-ntp true")
        }
        return PushFinding("clock", .ok, "\(now)")
    }

    private func services(_ now: Instant) async -> [PushFinding] {
        var found: [PushFinding] = []
        for kind in PushChannelKind.allCases {
            do throws(PushFieldError) {
                found += try await kind.form.init(settings).serviceFindings(logger, now)
            } catch {
                found.append(
                    PushFinding("channels", .problem, "\(error)", remedy: "correct this setting: selene config"))
            }
        }
        return found
    }

    private func devices(_ counts: [PushDeviceCount]) -> [PushFinding] {
        let live = counts.filter { $0.live > 0 }
        guard !live.isEmpty else {
            return [
                PushFinding(
                    "devices", .warning, "none is registered, so nobody gets notifications",
                    remedy: "register the app or the browser, or: selene push devices add NAME --stream")
            ]
        }
        var found = [PushFinding("devices", .ok, live.map { "\($0.live) \($0.channel)" }.joined(separator: ", "))]
        for kind in PushChannelKind.allCases {
            guard let key = kind.form.key, settings[key] == nil,
                let count = live.first(where: { $0.channel == kind.rawValue })
            else { continue }
            found.append(
                PushFinding(
                    "devices", .problem, "\(count.live) of channel \(kind.rawValue) get nothing without its key",
                    remedy: "set \(key.variable) where the server runs"))
        }
        // A channel that needs no key leads to no phone.
        if live.contains(where: { PushChannelKind(rawValue: $0.channel).map { $0.form.key != nil } ?? true }),
            let home = try? PushURL(settings.home, field: "push_home"), home.host.isThisMachine
        {
            found.append(
                PushFinding(
                    "home", .warning, "links and pictures lead to \(home), which phones do not reach",
                    remedy: "set SELENE_PUSH_HOME to the address by which devices reach the gateway"))
        }
        let retired = counts.reduce(0) { $0 + $1.retired }
        if retired > 0 {
            found.append(
                PushFinding(
                    "devices", .warning, "\(retired) are retired, since a service refused their addresses",
                    remedy: "open the app or the page there again, or remove them: selene push devices"))
        }
        return found
    }

    private func outbox(_ lanes: [PushBacklog], _ now: Instant) -> [PushFinding] {
        let waiting = lanes.reduce(0) { $0 + $1.waiting }
        let late = lanes.filter { lane in lane.firstDue.map { $0 < now.milliseconds - Self.maxDelay } ?? false }
        guard let first = late.compactMap(\.firstDue).min() else {
            return [PushFinding("outbox", .ok, waiting == 0 ? "nothing waits" : "\(waiting) wait for their time")]
        }
        let channels = late.map(\.channel).joined(separator: ", ")
        return [
            PushFinding(
                "outbox", .problem, "\(waiting) wait, the first since \(PushTime.text(first)) (\(channels))",
                remedy: "start the server on this database (selene serve), and look at its log")
        ]
    }
}
