import Database
import Foundation
import GatewayAPI
import GoalRoom
import Goals
import Inference
import Storage
import Synchronization
import Testing
import Transport

@testable import GoalTracking

/// A model with scripted answers.
final class ScriptedModel: ChatProvider {
    let name: String
    let isLocal: Bool
    private let isRemote: Bool
    private let answer: @Sendable (ModelChatRequest) async throws -> String
    private let seen = Mutex<[ModelChatRequest]>([])

    init(
        name: String = "ollama", isLocal: Bool = true, isRemote: Bool = false,
        answer: @escaping @Sendable (ModelChatRequest) async throws -> String
    ) {
        (self.name, self.isLocal, self.isRemote, self.answer) = (name, isLocal, isRemote, answer)
    }

    /// The requests so far.
    var requests: [ModelChatRequest] { seen.withLock { $0 } }

    func capabilities(of model: String) async throws(UpstreamError) -> ChatCapabilities {
        ChatCapabilities(tools: false, thinking: true, isRemote: isRemote)
    }

    func models() async throws(UpstreamError) -> [String] { [] }

    func chat(
        _ request: ModelChatRequest, for caller: AdmissionCaller,
        _ receive: @Sendable (ChatEvent) async throws -> Void
    ) async throws {
        seen.withLock { $0.append(request) }
        let text = try await answer(request)
        for piece in [text.prefix(text.count / 2), text.suffix(text.count - text.count / 2)] {
            try await receive(.text(String(piece)))
        }
        try await receive(.ended(ChatEnd(.stop)))
    }

    /// A reader that asks this model.
    func reader(timeout: Duration = .seconds(20)) -> UtteranceModel? {
        UtteranceModel("m", providers: ChatProviders(ollama: self), timeout: timeout)
    }
}

/// What a model is asked about utterances, and what becomes of its answers.
@Suite struct UtteranceModelTests {
    private static let today = LocalDay(parsing: "2026-11-22") ?? .earliest

    @Test func `only the missing fields are asked for, bound to a schema, short and without thinking`() async throws {
        let model = ScriptedModel { _ in #"{"activity":"zorb","day":"2026-11-20"}"# }
        let reading = try await model.reader()?.read("zorbed", [.activity, .day], today: Self.today, caller: "me")
        #expect(reading?.activity == "zorb" && reading?.day == "2026-11-20")
        let request = try #require(model.requests.first)
        #expect(request.maxTokens == 200 && request.temperature == 0 && request.thinks == false)
        guard case .object(let schema)? = request.format?.schema, case .object(let properties)? = schema["properties"]
        else {
            throw CocoaError(.coderInvalidValue)
        }
        #expect(Set(properties.keys) == ["activity", "day"] && schema["additionalProperties"] == .bool(false))
        guard case .system(let text)? = request.turns.first else { throw CocoaError(.coderInvalidValue) }
        #expect(text.contains("Today is Sunday, 2026-11-22") && text.contains("day: ") && !text.contains("minutes: "))
        #expect(request.turns.last == .user("zorbed"))
        #expect(try await model.reader()?.read("zorbed", [], today: Self.today, caller: nil) == nil)
        #expect(model.requests.count == 1)
        #expect(UtteranceModel(nil, providers: ChatProviders(ollama: model)) == nil)
    }

    @Test func `answers that do not follow the schema are of no use`() async throws {
        for answer in [
            "", "null", "[]", "run", #"{"activity":"run""#, #"{"activity":7}"#, #"{"day":"2026-11-20"}"#,
            #"{"activity":"run","other":1}"#, #"```json {"activity":"run"} ```"#,
            #"{"activity":"\#(String(repeating: "x", count: 5000))"}"#,
        ] {
            let model = ScriptedModel { _ in answer }
            let reading = try await model.reader()?.read("zorbed", [.activity], today: Self.today, caller: nil)
            #expect(reading == nil, "\(answer.prefix(40))")
        }
        for answer in [
            #"{"amounts":[5]}"#, #"{"amounts":[{"amount":5}]}"#, #"{"amounts":[{"amount":"5","unit":"km"}]}"#,
            #"{"amounts":[{"amount":5,"unit":"km","x":1}]}"#, #"{"amounts":{}}"#,
            #"{"amounts":[{"amount":1e999,"unit":"km"}]}"#,
        ] {
            #expect(UtteranceModel.reading(answer, [.amounts]) == nil, "\(answer)")
        }
        #expect(UtteranceModel.reading(#"{"amounts":null}"#, [.amounts]) == ModelReading())
    }

    @Test func `a model elsewhere, one that fails and one that is too slow change nothing`() async throws {
        let elsewhere = ScriptedModel(isLocal: false) { _ in #"{"activity":"run"}"# }
        let cloud = ScriptedModel(isRemote: true) { _ in #"{"activity":"run"}"# }
        for model in [elsewhere, cloud] {
            #expect(try await model.reader()?.read("zorbed", [.activity], today: Self.today, caller: nil) == nil)
            #expect(model.requests.isEmpty)
        }
        let down = ScriptedModel { _ in throw UpstreamError.cancelled }
        #expect(try await down.reader()?.read("zorbed", [.activity], today: Self.today, caller: nil) == nil)
        let slow = ScriptedModel { _ in
            try await Task.sleep(for: .seconds(600))
            return #"{"activity":"run"}"#
        }
        let reader = slow.reader(timeout: .milliseconds(20))
        #expect(try await reader?.read("zorbed", [.activity], today: Self.today, caller: nil) == nil)
    }

    @Test func `a cancelled reader ends the call`() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let model = ScriptedModel { _ in
            start.yield()
            try await Task.sleep(for: .seconds(600))
            return ""
        }
        let work = Task { try await model.reader()?.read("zorbed", [.activity], today: Self.today, caller: nil) }
        _ = await started.first { _ in true }
        work.cancel()
        await #expect(throws: CancellationError.self) { try await work.value }
    }

    @Test func `what a model read is a proposal that says so, and waits for a person in every setting`() async throws {
        let model = ScriptedModel { _ in
            #"{"activity":"run","minutes":null,"day":"2026-11-20","time":"07:30","goal":null}"#
        }
        let person = try Person(confirms: true, model: model.reader())
        let proposals = GoalProposals(person.service)
        let said = ActionText(text: "zorbed 5 km downhill", turn: "chat 1", confirm: true)
        let proposal = try await proposals.log(said, actor: "chat")
        #expect(proposal.state == "open" && proposal.fromModel == ["activity", "day", "time"])
        #expect(proposal.action?.day == "2026-11-20" && proposal.action?.title?.hasPrefix("Run") == true)
        #expect(proposal.action?.startTime?.hasPrefix("2026-11-20T07:30") == true)
        #expect(proposal.unread.contains("zorbed"))
        #expect(try await person.service.store.actions.list(ActionFilter(), after: nil, limit: 5).items.isEmpty)
        // The same words of the same turn are not asked for again.
        #expect(try await proposals.log(said, actor: "chat").id == proposal.id)
        #expect(model.requests.count == 1)
        #expect(try await proposals.confirm(proposal.id, actor: "me").state == "confirmed")
        // What the parser understands alone is no question.
        let known = try await proposals.log(ActionText(text: "ran 5 km in 28 min"), actor: nil)
        #expect(known.state == "confirmed" && known.fromModel == nil && model.requests.count == 1)
    }

    @Test func `a wrong date of a model is refused like one of a person`() async throws {
        for day in ["2026-02-31", "2026-11-23", "someday"] {
            let model = ScriptedModel { request in
                guard case .object(let schema)? = request.format?.schema,
                    case .object(let fields)? = schema["properties"]
                else {
                    return ""
                }
                let members = fields.keys.map { $0 == "day" ? #""day":"\#(day)""# : "\"\($0)\":null" }
                return "{\(members.joined(separator: ","))}"
            }
            let person = try Person(model: model.reader())
            let proposals = GoalProposals(person.service)
            let proposal = try await proposals.log(ActionText(text: "ran 5 km downhill"), actor: nil)
            #expect(proposal.refusals.count == 1 && proposal.refusals[0].contains(day), "\(proposal.refusals)")
            await #expect(throws: StorageError.self) { try await proposals.confirm(proposal.id, actor: nil) }
        }
    }
}

/// Field accuracy of the fixed set of utterances, with a model that answers from the labels: the most that any model can add
/// through the checks, and what a lying one can spoil.
@Suite struct UtteranceModelAccuracyTests {
    private struct Line: Decodable {
        var text: String
        var activity: String?
        var measures: [String]?
        var minutes: Double?
        var day: String?
        var time: String?
        var goal: String?
        var refusal: String?
    }

    private static let today = LocalDay(parsing: "2026-11-22") ?? .earliest

    private static func lines(_ name: String) throws -> [Line] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = folder.appending(path: "Engines/GoalsTests/Fixtures/\(name).jsonl")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
    }

    private static func label(_ measures: [Quantity]) -> String? {
        let texts = measures.map { ($0.converted(to: $0.unit.canonical) ?? $0).description }
        return texts.isEmpty ? nil : texts.joined(separator: " ")
    }

    /// Right fields, and fields that the label or the draft states.
    private static func score(_ line: Line, _ draft: ActionDraft) throws -> (right: Int, fields: Int) {
        let measures = try (line.measures ?? []).map { try #require(Quantity(parsing: $0)) }
        let pairs: [(String?, String?)] = [
            (line.activity, draft.activity), (label(measures), label(draft.measures)),
            (line.minutes.map { "\($0)" }, draft.minutes.map { "\($0.doubleValue)" }),
            (line.day, draft.day?.description), (line.time, draft.time?.description), (line.goal, draft.goal),
            (line.refusal, draft.refusals.first?.reason.rawValue),
        ]
        let stated = pairs.filter { $0.0 != nil || $0.1 != nil }
        return (stated.count { $0.0 == $0.1 }, stated.count)
    }

    /// The answer of a model that knows the label.
    private static func answer(_ line: Line, _ missing: [ModelReading.Field]) -> String {
        let members = missing.map { field -> String in
            func quoted(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "null" }
            let value =
                switch field {
                case .activity: quoted(line.activity)
                case .day: quoted(line.day)
                case .time: quoted(line.time)
                case .goal: quoted(line.goal)
                case .minutes: line.minutes.map { "\($0)" } ?? "null"
                case .amounts:
                    "["
                        + (line.measures ?? []).compactMap { Quantity(parsing: $0) }.map {
                            "{\"amount\":\($0.amount.doubleValue),\"unit\":\"\($0.unit)\"}"
                        }.joined(separator: ",") + "]"
                }
            return "\"\(field.rawValue)\":\(value)"
        }
        return "{\(members.joined(separator: ","))}"
    }

    @Test(arguments: ["utterances", "held-out", "later", "fresh"])
    func `a model that knows adds right fields`(name: String) async throws {
        var (alone, with, asked, count) = ((0, 0), (0, 0), 0, 0)
        for line in try Self.lines(name) {
            let draft = UtteranceParser(today: Self.today).parse(line.text)
            var completed = draft
            let model = ScriptedModel { _ in Self.answer(line, draft.missing) }
            let reading = try await model.reader()?.read(line.text, draft.missing, today: Self.today, caller: nil)
            if let reading { _ = completed.complete(with: reading, of: line.text, today: Self.today) }
            let (first, second) = (try Self.score(line, draft), try Self.score(line, completed))
            #expect(second.right >= first.right, "\(line.text)")
            (alone.0, alone.1, with.0, with.1) = (
                alone.0 + first.right, alone.1 + first.fields, with.0 + second.right, with.1 + second.fields
            )
            asked += model.requests.count
            count += 1
        }
        print(
            "figure: \(name): \(alone.0) of \(alone.1) fields right alone, \(with.0) of \(with.1) with a model that knows; asked for \(asked) of \(count)"
        )
        #expect(with.0 * alone.1 >= alone.0 * with.1)
    }

    /// The real model of an upstream, if the environment names both: `SELENE_TEST_UPSTREAM` and `SELENE_TEST_MODEL`.
    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["SELENE_TEST_MODEL"] != nil), arguments: ["held-out", "fresh"])
    func `a real model`(name: String) async throws {
        let environment = ProcessInfo.processInfo.environment
        let model = environment["SELENE_TEST_MODEL"] ?? ""
        let transport = try UpstreamTransport(
            configuration: UpstreamConfiguration(host: environment["SELENE_TEST_UPSTREAM"] ?? ""))
        let ollama = OllamaChat(
            upstream: OllamaUpstream(transport: transport), admission: Admission(maxInFlight: 1, maxWaiting: 8))
        let reader = UtteranceModel(model, providers: ChatProviders(ollama: ollama))
        var (alone, with, asked, answered) = ((0, 0), (0, 0), 0, 0)
        for line in try Self.lines(name) {
            var draft = UtteranceParser(today: Self.today).parse(line.text)
            let first = try Self.score(line, draft)
            if !draft.missing.isEmpty {
                asked += 1
                if let reading = try await reader?.read(line.text, draft.missing, today: Self.today, caller: nil) {
                    answered += 1
                    _ = draft.complete(with: reading, of: line.text, today: Self.today)
                }
            }
            let second = try Self.score(line, draft)
            (alone.0, alone.1, with.0, with.1) = (
                alone.0 + first.right, alone.1 + first.fields, with.0 + second.right, with.1 + second.fields
            )
        }
        print(
            "figure: \(name), \(model): \(alone.0) of \(alone.1) alone, \(with.0) of \(with.1) with the model; \(answered) of \(asked) answers as asked"
        )
        await transport.shutdown(within: .seconds(1))
    }
}
