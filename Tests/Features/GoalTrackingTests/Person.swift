import Database
import Foundation
import GatewayAPI
import GoalRoom
import GoalTracking
import Schedules
import Storage
import Synchronization

/// A person with a database and a clock of their own.
final class Person: Sendable {
    let folder: URL
    let database: GatewayDatabase
    let service: GoalService
    private let clock: Clock

    init(
        zone: String = "UTC", dayStart: Int = 0, now: String = "2026-11-22T10:00:00Z", confirms: Bool = false,
        model: UtteranceModel? = nil
    ) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "selene-goals-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        database = try GatewayDatabase(path: folder.appending(path: "notes.sqlite").path)
        let start = Instant(seconds: Timestamp.unixSeconds(now) ?? 0)
        let clock = Clock(start)
        service = try GoalService(
            goals: database.goals, notes: database.notes, zone: zone, dayStart: dayStart, confirmsAtOnce: confirms,
            model: model,
            now: { clock.now })
        self.clock = clock
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Sets the clock.
    func setTime(_ text: String) { clock.set(Instant(seconds: Timestamp.unixSeconds(text) ?? 0)) }

    /// Writes as this turn.
    func turn(_ name: String = "test") -> GoalContext { GoalContext(turn: name, actor: "tester") }

    func log(_ title: String, _ amounts: [GoalAmount] = [], day: String? = nil) async throws -> ActionRecord {
        var body = ActionBody()
        body.title = .set(title)
        body.amounts = .set(amounts)
        if let day { body.day = .set(day) }
        return try await service.add(body, turn()).action
    }

    /// Adds a SMART goal of kilometres.
    func runningGoal(_ amount: Double = 100, from: String = "2026-11-01", to: String = "2026-11-30") async throws
        -> GoalRecord
    {
        var body = GoalBody()
        body.kind = .set("smart")
        body.title = .set("Run more")
        body.target = .set(GoalAmount(amount: amount, unit: "km"))
        (body.startDate, body.targetDate) = (.set(from), .set(to))
        body.relevance = .set("Health")
        body.keywords = .set(["run"])
        return try await service.add(body, turn()).goal
    }

    private final class Clock: Sendable {
        private let time: Mutex<Instant>
        init(_ time: Instant) { self.time = Mutex(time) }
        var now: Instant { time.withLock { $0 } }
        func set(_ instant: Instant) { time.withLock { $0 = instant } }
    }
}
