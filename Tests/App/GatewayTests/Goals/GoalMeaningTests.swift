import Backfill
import FakeOllama
import FakeProviders
import Foundation
import GRDB
import GatewayAPI
import GatewayTestSupport
import JobRoom
import Storage
import TestSupport
import Testing

/// Matching by meaning through a whole gateway: the texts of goals and actions, embedded by the upstream.
@Suite(.serialized) struct GoalMeaningTests {
    private static let about = "in the woods by the river, with the people of the club, in any weather"

    /// Adds a goal of kilometres whose title shares no word with the actions.
    @discardableResult
    private static func addGoal(_ gateway: LiveGateway) async throws -> String {
        let body =
            #"{"title":"Endurance","description":"\#(about)","target":{"amount":90,"unit":"km"},"start_date":"2026-01-01"}"#
        let reply = try await gateway.done("POST", "/api/goals", body, 201)
        return try #require(reply.object["id"] as? String)
    }

    @discardableResult
    private static func log(_ title: String, _ about: String, _ gateway: LiveGateway) async throws -> String {
        let body = #"{"title":"\#(title)","description":"\#(about)","amounts":[{"amount":5,"unit":"km"}]}"#
        return try #require(try await gateway.done("POST", "/api/actions", body, 201).object["id"] as? String)
    }

    private static func questions(_ gateway: LiveGateway) async throws -> [GoalQuestion] {
        let reply = try await gateway.done("GET", "/api/goals/questions")
        return try JSONDecoder().decode(GoalQuestionList.self, from: reply.data).questions
    }

    private static let waitingTexts = "SELECT count(*) FROM gateway_goal_texts"

    /// Makes a space of the synthetic Ollama answer searches.
    private static func useOllama(_ gateway: LiveGateway) async throws {
        _ = try await gateway.store.notes.insert([NoteDraft(title: "tide", content: "The tide.", createdAt: 1)])
        try await gateway.backfill()
        _ = try #require(try await gateway.spaces.active())
    }

    private static func points(_ question: GoalQuestion?) -> Int? {
        question?.match.shares.first { $0.component == "meaning" }?.points
    }

    @Test func `an action with another title and a like description is asked about, with the share of the vectors`()
        async throws
    {
        try await LiveGateway.with(settings: ["goals_zone": "UTC"]) { gateway in
            try await Self.useOllama(gateway)
            let goal = try await Self.addGoal(gateway)
            let jog = try await Self.log("Jog", Self.about, gateway)
            try await Self.log("Sonata", "four hands, slow movement", gateway)
            try await waitUntil { try await !Self.questions(gateway).isEmpty }
            try await waitUntil { try await gateway.number(Self.waitingTexts) == 0 }
            let questions = try await Self.questions(gateway)
            #expect(questions.map(\.action.id) == [jog] && questions.first?.match.goal == goal)
            // The same from the vectors of the model, without the gateway.
            let model = HashedEmbedding(dimensions: 384)
            let cosine = zip(
                model.vector(for: "Endurance\n" + Self.about), model.vector(for: "Jog\n" + Self.about)
            ).reduce(0) { $0 + $1.0 * $1.1 }
            let expected = Double(min(max((cosine - 0.6) / 0.4, 0), 1)) * 300
            let points = try #require(Self.points(questions.first))
            #expect(abs(Double(points) - expected) <= 1, "\(points) of \(expected)")
            #expect(questions.first?.match.verdict == "asks")
            // Nothing was counted, and computing everything again gives the same.
            let progress = try await gateway.done("GET", "/api/goals/\(goal)/progress")
            #expect(progress.object["entries"] as? Int == 0)
            #expect(try await gateway.done("POST", "/api/goals/rebuild").object["changed"] as? Int == 0)
            #expect(try await Self.questions(gateway) == questions)
            // A person's answer counts.
            let answer = #"{"action":"\#(jog)","goal":"\#(goal)","answer":"confirmed"}"#
            try await gateway.done("POST", "/api/goals/decisions", answer)
            #expect(try await Self.questions(gateway).isEmpty)
            let counted = try await gateway.done("GET", "/api/goals/\(goal)/progress")
            #expect(counted.object["achieved"] as? Double == 5)
        }
    }

    @Test(.slow) func `while the upstream is gone everything answers, and the meanings follow when it is back`()
        async throws
    {
        try await LiveGateway.with(settings: ["goals_zone": "UTC"]) { gateway in
            try await Self.useOllama(gateway)
            #expect(gateway.fake.setFaults(["drop@/api/embed"]))
            let goal = try await Self.addGoal(gateway)
            let jog = try await Self.log("Jog", Self.about, gateway)
            let calls = gateway.fake.statistics.requests["/api/embed"] ?? 0
            try await waitUntil { (gateway.fake.statistics.requests["/api/embed"] ?? 0) > calls }
            #expect(try await gateway.number(Self.waitingTexts) == 2)
            #expect(try await Self.questions(gateway).isEmpty)
            for path in ["/api/goals/today", "/api/goals/\(goal)", "/api/actions?goal=\(goal)", "/api/goals/export"] {
                try await gateway.done("GET", path)
            }
            #expect(gateway.fake.setFaults([]))
            try await waitUntil(within: .seconds(60)) { try await Self.questions(gateway).map(\.action.id) == [jog] }
        }
    }

    @Test(.slow) func `vectors of another length than the space has are refused once, and compare nothing`()
        async throws
    {
        try await LiveGateway.with(settings: ["goals_zone": "UTC"]) { gateway in
            let space = try await gateway.spaces.ensure(
                EmbeddingSpace(
                    model: "nomic-embed-text", digest: FakeOllama.Options().digest, dimensions: 16, queryPrefix: "",
                    documentPrefix: ""))
            try await gateway.spaces.activate(space.id)
            try await Self.addGoal(gateway)
            try await Self.log("Jog", Self.about, gateway)
            try await waitUntil {
                try await gateway.number("SELECT count(*) FROM gateway_goal_vectors WHERE length(vector) = 0") == 2
            }
            try await waitUntil { try await gateway.number(Self.waitingTexts) == 0 }
            #expect(try await Self.questions(gateway).isEmpty)
            let calls = gateway.fake.statistics.requests["/api/embed"]
            // The worker looks again for the next text, and asks for that one only.
            try await Self.log("Sonata", "four hands", gateway)
            try await waitUntil {
                try await gateway.number("SELECT count(*) FROM gateway_goal_vectors WHERE length(vector) = 0") == 3
            }
            #expect(gateway.fake.statistics.requests["/api/embed"] == calls.map { $0 + 1 })
        }
    }

    @Test(.slow) func `a provider elsewhere gets no word of goals, one of the person's own does`() async throws {
        var options = FakeProvider.Options()
        options.key = nil
        try await FakeProvider.withServer(options) { elsewhere in
            try await FakeProvider.withServer(options) { own in
                let providers = """
                    {"away": {"kind": "openai", "url": "\(elsewhere.baseURL)/v1"},
                     "home": {"kind": "openai", "url": "\(own.baseURL)/v1", "local": true}}
                    """
                let settings = ["providers": providers, "embed_model": "away/small", "goals_zone": "UTC"]
                try await LiveGateway.with(settings: settings) { gateway in
                    _ = try await gateway.store.notes.insert([NoteDraft(title: "a", content: "chart", createdAt: 1)])
                    let home = try await Self.backfill("home/small", gateway)
                    let away = try await Self.backfill("away/small", gateway)
                    try await gateway.spaces.activate(away)
                    try await Self.addGoal(gateway)
                    let jog = try await Self.log("Jog", Self.about, gateway)
                    try await gateway.spaces.activate(home)
                    try await waitUntil { try await Self.questions(gateway).map(\.action.id) == [jog] }
                    #expect(try #require(own.lastRequest).body.contains("woods"))
                    // In a space of the provider elsewhere the vectors are deleted, and nobody is asked.
                    try await gateway.spaces.activate(away)
                    let noSpace = "SELECT count(*) FROM gateway_goal_meaning WHERE space_id IS NULL"
                    try await waitUntil { try await gateway.number(noSpace) == 1 }
                    try await waitUntil { try await Self.questions(gateway).isEmpty }
                    let row = try await Self.log("Row", Self.about, gateway)
                    #expect(try await gateway.number("SELECT count(*) FROM gateway_goal_vectors") == 0)
                    #expect(try await gateway.number(Self.waitingTexts) == 0)
                    // Once more at home: by then the worker has looked at the other space several times.
                    try await gateway.spaces.activate(home)
                    try await waitUntil {
                        try await Set(Self.questions(gateway).map(\.action.id)) == [jog, row]
                    }
                    let last = try #require(elsewhere.lastRequest)
                    #expect(last.body.contains("chart") && !last.body.contains("woods"))
                }
            }
        }
    }

    /// Fills a space of a model.
    private static func backfill(_ model: String, _ gateway: LiveGateway) async throws -> SpaceID {
        let begun = try await gateway.done("POST", "/api/jobs/backfill", #"{"model":"\#(model)"}"#, 202)
        let id = try #require(begun.object["id"] as? Int64)
        try await waitUntil { try await gateway.store.jobs.find(id).job.state.isFinal }
        return try #require(try await gateway.spaces.all().first { $0.stored.space.model == model }).stored.id
    }
}
