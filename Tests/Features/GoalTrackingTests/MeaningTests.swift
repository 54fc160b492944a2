import Foundation
import GRDB
import GatewayAPI
import GoalRoom
import GoalTracking
import Goals
import Logging
import Storage
import Synchronization
import Testing

/// Matching by meaning, with a deterministic embedder: each text has the direction of its first word's subject.
@Suite struct MeaningTests {
    /// Directions in two dimensions, in degrees: a jog is near a run, a sonata is not.
    private static let degrees = ["endurance": 0.0, "jogging": 10, "park": 35, "sonata": 90, "refused": -1]

    private final class Model: Sendable {
        let calls = Mutex(0)
        let isDown = Mutex(false)
        /// Whether the calls of some texts fail.
        let fails = Mutex(false)
        let space: Mutex<StoredSpace?>

        init(_ space: StoredSpace?) { self.space = Mutex(space) }

        var embedder: GoalEmbedder {
            GoalEmbedder(space: { self.space.withLock { $0 } }) { texts, _ in
                if self.isDown.withLock({ $0 }) { throw CocoaError(.fileNoSuchFile) }
                self.calls.withLock { $0 += 1 }
                return texts.map { text in
                    let word = text.split(separator: " ").first.map { $0.lowercased() } ?? ""
                    let angle = MeaningTests.degrees[word] ?? 80
                    if angle < 0 { return .refused }
                    if word == "jogging", self.fails.withLock({ $0 }) { return .failed(CocoaError(.fileReadUnknown)) }
                    return .vector([Float(cos(angle * .pi / 180)) * 3, Float(sin(angle * .pi / 180)) * 3])
                }
            }
        }
    }

    private static func space(_ digest: String, _ person: Person) async throws -> StoredSpace {
        try await person.database.spaces.ensure(
            EmbeddingSpace(model: "fake", digest: digest, dimensions: 2, queryPrefix: "", documentPrefix: ""))
    }

    private static func goal(_ person: Person) async throws -> GoalRecord {
        var body = GoalBody()
        body.title = .set("Endurance")
        body.target = .set(GoalAmount(amount: 100, unit: "km"))
        (body.startDate, body.targetDate) = (.set("2026-11-01"), .set("2026-11-30"))
        return try await person.service.add(body, person.turn()).goal
    }

    private static func worker(_ person: Person, _ model: Model) -> GoalWorker {
        GoalWorker(
            person.service, embedder: model.embedder, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test func `a text whose call failed is tried again, and the others of its batch are stored`() async throws {
        let person = try Person()
        _ = try await Self.goal(person)
        let jog = try await person.log("jogging", [GoalAmount(amount: 5, unit: "km")])
        _ = try await person.log("sonata", [GoalAmount(amount: 5, unit: "km")])
        let model = Model(try await Self.space("a", person))
        model.fails.withLock { $0 = true }
        let worker = Self.worker(person, model)
        await #expect(throws: CocoaError.self) { try await worker.embedAll() }
        let store = person.service.store.meanings
        #expect(try await store.missing(limit: 10).map(\.text) == ["jogging"])
        model.fails.withLock { $0 = false }
        try await worker.embedAll()
        #expect(try await store.missing(limit: 10).isEmpty)
        let questions = try await person.service.questions(goal: nil, after: nil, limit: 10).items
        #expect(questions.map(\.action.id) == [jog.id])
    }

    @Test func `a close meaning asks a person, with its share, and a rebuild gives the same rows`() async throws {
        let person = try Person()
        let goal = try await Self.goal(person)
        let jog = try await person.log("jogging", [GoalAmount(amount: 5, unit: "km")])
        let sonata = try await person.log("sonata", [GoalAmount(amount: 5, unit: "km")])
        let untimed = try await person.log("jogging", [GoalAmount(amount: 5, unit: "pages")])
        // Without a model nobody is asked.
        #expect(try await person.service.questions(goal: nil, after: nil, limit: 10).items.isEmpty)
        let model = Model(try await Self.space("a", person))
        let worker = Self.worker(person, model)
        try await worker.embedAll()
        let questions = try await person.service.questions(goal: nil, after: nil, limit: 10).items
        #expect(questions.map(\.action.id) == [jog.id])
        let match = try #require(questions.first?.match)
        let meaning = try #require(match.shares.first { $0.component == "meaning" })
        // cos 10° is 0.985: 96 % of the way from 0.6 to 1.
        #expect(meaning.points == 288 && meaning.reason == "the meanings are 96 % alike")
        #expect(match.confidence == 0.688 && match.verdict == "asks" && match.goal == goal.id)
        #expect(try await person.service.store.actions.find(jog.id).contributions?.isEmpty == true)
        let rows = try await person.service.store.matches.all()
        #expect(rows.contains { $0.contains("period unit meaning") })
        #expect(try await person.service.store.matches.rebuild().changed == 0)
        #expect(try await person.service.store.matches.all() == rows)
        #expect(!rows.contains { $0.contains(sonata.id) || $0.contains(untimed.id) })
        // Nothing waits, so nothing is embedded again.
        let calls = model.calls.withLock { $0 }
        try await worker.embedAll()
        #expect(model.calls.withLock { $0 } == calls)
        // The same words again need no call.
        let again = try await person.log("jogging", [GoalAmount(amount: 1, unit: "km")])
        try await worker.embedAll()
        #expect(model.calls.withLock { $0 } == calls)
        #expect(
            try await person.service.questions(goal: nil, after: nil, limit: 10).items.contains {
                $0.action.id == again.id
            })
    }

    @Test func `another space compares anew, and no space compares nothing`() async throws {
        let person = try Person()
        _ = try await Self.goal(person)
        _ = try await person.log("jogging", [GoalAmount(amount: 5, unit: "km")])
        let model = Model(try await Self.space("a", person))
        let worker = Self.worker(person, model)
        try await worker.embedAll()
        #expect(try await person.service.store.matches.countQuestions() == 1)
        let calls = model.calls.withLock { $0 }
        let other = try await Self.space("b", person)
        model.space.withLock { $0 = other }
        try await worker.embedAll()
        #expect(model.calls.withLock { $0 } > calls)
        #expect(try await person.service.store.matches.countQuestions() == 1)
        model.space.withLock { $0 = nil }
        try await worker.embedAll()
        try await worker.matchAll()
        #expect(try await person.service.store.matches.countQuestions() == 0)
        #expect(try await person.service.store.matches.rebuild().changed == 0)
    }

    @Test func `a model that is down or refuses a text stops nothing`() async throws {
        let person = try Person()
        _ = try await Self.goal(person)
        let model = Model(try await Self.space("a", person))
        let worker = Self.worker(person, model)
        model.isDown.withLock { $0 = true }
        let refused = try await person.log("refused", [GoalAmount(amount: 5, unit: "km")])
        await #expect(throws: CocoaError.self) { try await worker.embedAll() }
        #expect(try await person.service.store.meanings.missing(limit: 10).count == 2)
        model.isDown.withLock { $0 = false }
        try await worker.embedAll()
        #expect(try await person.service.store.meanings.missing(limit: 10).isEmpty)
        let calls = model.calls.withLock { $0 }
        try await worker.embedAll()
        #expect(model.calls.withLock { $0 } == calls)
        #expect(try await person.service.store.matches.countQuestions() == 0)
        // A changed text is embedded and matched again.
        var change = ActionBody()
        change.title = .set("jogging slowly")
        _ = try await person.service.change(action: refused.id, change, person.turn("change"))
        try await worker.embedAll()
        #expect(try await person.service.store.matches.countQuestions() == 1)
        #expect(try await person.service.store.matches.rebuild().changed == 0)
    }
}
