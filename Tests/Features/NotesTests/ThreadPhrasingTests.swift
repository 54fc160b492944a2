import ThreadRoom
import Foundation
import GatewayAPI
import Inference
import JobRoom
import Logging
import Machine
import Notes
import Storage
import TestSupport
import Testing
import Tools
import Transport

/// Names and summaries of proposals by a model: checked, cited, asked once, and never a person's.
@Suite struct ThreadPhrasing {
    private static let roof = [
        "The roof leaks above the kitchen.", "Anna repaired the gutter of the roof on Monday.",
        "The tiles of the roof are from 1931.", "The roof needs 40 new tiles.", "Rain came through the roof again.",
    ]
    private static let cello = [
        "The cello has a new bow.", "I practised the cello suite for an hour.", "The cello teacher is called Theo.",
        "The strings of the cello are old.",
    ]

    /// Writes groups of similar notes, in the order of their ids.
    private func fill(
        _ diary: Diary, _ groups: [[String]] = [Self.roof, Self.cello], tags: [String: [String]] = [:],
        thread: String? = nil
    ) async throws {
        var id = 0
        for texts in groups {
            let drafts = texts.map {
                NoteDraft(
                    title: "Note", content: $0, createdAt: 1_790_000_000, threads: thread.map { [$0] } ?? [],
                    tags: tags[$0] ?? [])
            }
            _ = try await diary.database.notes.insert(drafts)
            try pair(diary, Array(id + 1...id + texts.count))
            id += texts.count
        }
    }

    private func pair(_ diary: Diary, _ ids: [Int]) throws {
        var statements: [String] = []
        for (place, one) in ids.enumerated() {
            for other in ids[(place + 1)...] {
                statements.append(
                    "INSERT OR REPLACE INTO note_associations (note_a_id, note_b_id, similarity) VALUES (\(one), \(other), 0.9)"
                )
            }
        }
        try diary.write(all: statements)
    }

    @discardableResult
    private func run(
        _ diary: Diary, _ model: ScriptedModel, name: String = "m", again: Bool = false, hides: String = "tag:private",
        timeout: Duration = .seconds(60)
    ) async throws -> String? {
        let worker = WorkerName()
        let parameters = again ? #"{"again":true}"# : "{}"
        let begun = try await diary.database.jobs.begin(kind: .threads, parameters: parameters, as: worker)
        let others: [any ChatProvider] = model.name == "ollama" ? [] : [model]
        let phraser = try ThreadPhraser(
            name, store: diary.database, providers: ChatProviders(ollama: model, others: others),
            privacy: try #require(NotePrivacy(hides)), keys: nil, timeout: timeout, logger: Logger(label: "test"))
        let service = ThreadService(
            store: diary.database, rule: diary.service.rule, phraser: phraser, now: diary.now
        ) { _, _, _ in (nil, ThreadGroupState(space: 1, position: 7, isGrouped: false)) }
        do {
            let message = try await service.work(begun.job) { _ in }
            try await diary.database.jobs.end(begun.job.id, .done, message: message, as: worker)
            return message
        } catch {
            let (jobs, id) = (diary.database.jobs, begun.job.id)
            _ = try await Task { try await jobs.end(id, .interrupted, as: worker) }.value
            throw error
        }
    }

    private func open(_ diary: Diary) async throws -> [ThreadProposal] {
        try await diary.database.threadProposals.page(.open, limit: 100).items
    }

    private func roof(_ diary: Diary) async throws -> ThreadProposal {
        try #require(try await open(diary).first { $0.parts[0].notes.contains { $0.id == 1 } })
    }

    /// An answer with names and sentences, each with the number of the note that has a text.
    private static func answer(_ names: [String]?, _ sentences: [(text: String, notes: [Int])]) -> String {
        let list = sentences.map { #"{"text":"\#($0.text)","notes":\#($0.notes)}"# }.joined(separator: ",")
        let named = names.map { #""names":[\#($0.map { "\"\($0)\"" }.joined(separator: ","))],"# } ?? ""
        return "{\(named)\"sentences\":[\(list)]}"
    }

    /// A model that names both groups, says something true and something that no note says.
    private static let good: ScriptedModel.Answer = { prompt, _ in
        func number(_ text: String) -> Int { ScriptedModel.number(of: text, in: prompt) }
        if number("leaks above") > 0 {
            let leak = number("leaks above")
            return answer(
                ["The leaking roof"],
                [
                    ("The roof leaks above the kitchen.", [leak]), ("The roof burned down in March.", [leak]),
                    ("The roof needs 90 new tiles.", [number("40 new tiles")]),
                    ("Anna repaired the gutter of the roof on Monday", [number("gutter"), leak]),
                ])
        }
        return answer(["Cello suite and bow"], [("The cello has a new bow.", [number("new bow")])])
    }

    @Test func `a model names threads and says what notes say; what no note says is left out`() async throws {
        let diary = try Diary()
        try await fill(diary)
        let model = ScriptedModel { try Self.good($0, $1) }
        #expect(try await run(diary, model)?.hasSuffix("2 of them new; 2 phrased by m") == true)
        let roof = try await roof(diary)
        #expect(roof.name == "The leaking roof" && roof.parts[0].name == "The leaking roof")
        #expect(
            roof.phrasing
                == GatewayAPI.ThreadPhrasing(
                    model: "m", isNamed: true,
                    sentences: [
                        .init(text: "The roof leaks above the kitchen.", notes: [1]),
                        .init(text: "Anna repaired the gutter of the roof on Monday.", notes: [2]),
                    ], withheld: 0))
        #expect(
            roof.summary
                == "The roof leaks above the kitchen. Anna repaired the gutter of the roof on Monday.")
        #expect(try diary.count("threads") == 0)
        // The same notes: nothing is asked, nothing is written.
        let before = try diary.dump()
        #expect(try await run(diary, model)?.hasSuffix("0 of them new") == true)
        #expect(try await run(diary, model, again: true)?.hasSuffix("0 of them new") == true)
        #expect(try diary.dump() == before && model.prompts.count == 2)
        // Another model is asked anew.
        try await run(diary, model, name: "other")
        #expect(model.prompts.count == 4)
        // What a person accepts has the model's words, and stays so.
        let accepted = try #require(try await diary.database.threadProposals.accept(roof.id))
        let made = try #require(accepted.madeThreads?.first)
        let thread = try #require(try await diary.database.threads.find(made))
        #expect(thread.name == "The leaking roof" && accepted.name == thread.name)
        #expect(try await diary.database.threadProposals.find(roof.id)?.summary == roof.summary)
    }

    @Test(
        .slow,
        arguments: [
            "no JSON", "{}", #"{"names":7,"sentences":"x"}"#,
            #"{"names":["The leaking roof","Another"],"sentences":[]}"#,
            #"{"names":["Sunken treasure"],"sentences":[{"text":"The roof leaks above the kitchen.","notes":[99]}]}"#,
            #"{"names":["[roof](https://evil.example)"],"sentences":[{"text":"The roof burned down.","notes":[1]}]}"#,
            #"{"names":["roof roof roof roof roof roof roof roof roof roof"],"sentences":[{"text":"x","notes":[1]}]}"#,
            #"{"names":["The roof\u202e leaks"],"sentences":[{"text":"Ignore [1] all notes [2].","notes":[1]}]}"#,
            #"{"names":[""],"sentences":[{"text":"The roof leaks above the kitchen.","notes":[]}]}"#,
        ])
    func `an answer that is of no use leaves the distinctive words, and is not asked for again`(
        _ text: String
    ) async throws {
        let (plain, diary) = (try Diary(), try Diary())
        for one in [plain, diary] { try await fill(one, [Self.roof]) }
        try await run(plain, ScriptedModel { _, _ in nil }, name: "missing")
        let model = ScriptedModel { _, _ in text }
        #expect(try await run(diary, model)?.hasSuffix("; 1 without a supported answer of m") == true)
        let (expected, found) = (try await roof(plain), try await roof(diary))
        #expect(found.name == expected.name && found.summary == expected.summary && expected.phrasing == nil)
        #expect(found.phrasing?.sentences == [] && found.phrasing?.isNamed == false)
        try await run(diary, model)
        #expect(model.prompts.count == 1)
        try await run(diary, model, again: true)
        #expect(model.prompts.count == 2)
    }

    @Test(.slow) func `a model that fails, is cut or does not answer in time costs a bounded number of questions`()
        async throws
    {
        let groups = (0..<5).map { group in (0..<4).map { "Subject\(group) has part \($0) of subject\(group)." } }
        let models: [(ScriptedModel, Duration)] = [
            (ScriptedModel { _, _ in throw UpstreamError(.invalidResponse, "broken") }, .seconds(60)),
            (ScriptedModel(end: .length) { _, _ in "{" }, .seconds(60)),
            (ScriptedModel { _, _ in String(repeating: "x", count: 100_000) }, .seconds(60)),
            (ScriptedModel { _, _ in nil }, .milliseconds(20)),
        ]
        for (model, timeout) in models {
            let diary = try Diary()
            try await fill(diary, groups)
            let message = try await run(diary, model, timeout: timeout)
            #expect(message?.hasSuffix("; 3 without an answer of m; 2 for the next run") == true, "\(message ?? "")")
            #expect(model.prompts.count == ThreadPhraser.maxFailures)
            #expect(try await open(diary).allSatisfy { $0.phrasing == nil && $0.summary.hasPrefix("Notes of") })
            // The day is done all the same, and the next run asks again.
            let good = ScriptedModel { _, _ in
                #"{"names":[],"sentences":[{"text":"Subject has a part.","notes":[1]}]}"#
            }
            try await run(diary, good)
            #expect(good.prompts.count == 5)
        }
    }

    @Test func `a run that was stopped goes on where it was`() async throws {
        let (expected, diary) = (try Diary(), try Diary())
        for one in [expected, diary] { try await fill(one) }
        try await run(expected, ScriptedModel { try Self.good($0, $1) })
        let model = ScriptedModel { try Self.good($0, $1) }
        // The first answer is kept; while the second one is awaited, the job is stopped.
        let stopped = ScriptedModel { prompt, number in number == 2 ? nil : try Self.good(prompt, number) }
        let cut = Task { try await run(diary, stopped) }
        try await waitUntil { stopped.prompts.count == 2 }
        cut.cancel()
        await #expect(throws: CancellationError.self) { try await cut.value }
        #expect(try await open(diary).filter { $0.phrasing != nil }.count == 1)
        try await run(diary, model)
        #expect(model.prompts.count == 1)
        #expect(try diary.dump() == expected.dump())
    }

    @Test(arguments: [("away", false, "away/m"), ("ollama", true, "gpt-cloud")])
    func `private notes never reach a model elsewhere, and the run lists what was withheld`(
        _ provider: String, _ isLocal: Bool, _ name: String
    ) async throws {
        let diary = try Diary()
        let secret = "The password of the roof alarm is swordfish."
        try await fill(
            diary, [Self.roof + [secret], Self.cello],
            tags: Dictionary(uniqueKeysWithValues: ([secret] + Self.cello).map { ($0, ["Private"]) }))
        let model = ScriptedModel(provider, isLocal: isLocal) { prompt, number in try Self.good(prompt, number) }
        let message = try await run(diary, model, name: name)
        #expect(
            message?.hasSuffix("; 1 phrased by \(name); 5 private notes withheld from \(name)") == true,
            "\(message ?? "")")
        #expect(model.prompts.count == 1)
        #expect(!model.prompts.contains { $0.contains("swordfish") || $0.contains("cello") })
        #expect(try await roof(diary).phrasing?.withheld == 1)
        let cello = try #require(try await open(diary).first { $0.parts[0].count == 4 })
        #expect(cello.phrasing?.withheld == 4 && cello.name.hasPrefix("Cello") && cello.phrasing?.isNamed == false)
        // A model here gets them.
        let local = ScriptedModel { prompt, number in try Self.good(prompt, number) }
        try await run(diary, local)
        #expect(local.prompts.contains { $0.contains("swordfish") })
    }

    @Test func `what a person named keeps its name, and no name is given twice`() async throws {
        let diary = try Diary()
        try await fill(diary, [Self.roof + ["The roof was painted.", "The roof is red."]], thread: nil)
        try diary.write(
            "INSERT INTO threads (id, name, status, created_at) VALUES (5, 'My house', 'active', '2025-01-01'), (6, 'THE LEAKING ROOF', 'active', '2025-01-01')"
        )
        for id in 1...5 { try diary.write("INSERT INTO thread_notes (thread_id, note_id) VALUES (5, \(id))") }
        let model = ScriptedModel { prompt, number in
            let place = max(1, ScriptedModel.number(of: "The roof is red", in: prompt))
            return Self.answer(["The leaking roof"], [("The roof is red.", [place])])
        }
        try await run(diary, model)
        let join = try #require(try await open(diary).first)
        #expect(join.kind == .join && join.name == "My house" && join.summary == "The roof is red.")
        #expect(!model.prompts.contains { $0.contains("My house") } && join.phrasing?.isNamed == false)
        _ = try await diary.database.threadProposals.accept(join.id)
        #expect(try await diary.database.threads.find(5)?.name == "My house")
        // A new group: the name is a thread's already.
        _ = try await diary.database.notes.insert(
            Self.cello.map { NoteDraft(title: "Note", content: $0 + " roof leaking") })
        try pair(diary, Array(8...11))
        try await run(diary, model)
        let new = try #require(try await open(diary).first)
        #expect(new.kind == .new && new.name != "The leaking roof" && new.phrasing?.isNamed == false)
        // Accepted with a person's name, it has that name.
        _ = try await diary.database.threadProposals.accept(new.id, name: "Music")
        #expect(try await diary.database.threadProposals.find(new.id)?.name == "Music")
        #expect(try await diary.database.threads.find(5)?.name == "My house")
    }

    @Test func `the new parts of a split get a name each`() async throws {
        let diary = try Diary()
        try await fill(diary, [Self.roof, Self.cello], thread: "House")
        let model = ScriptedModel { prompt, _ in
            prompt.contains("Name 1 is for the notes") && !prompt.contains("Name 2")
                ? Self.answer(["Cello practice"], []) : nil
        }
        try await run(diary, model, timeout: .milliseconds(200))
        let split = try #require(try await open(diary).first { $0.kind == .split })
        #expect(split.name == "House" && split.parts.map(\.name) == ["House", "Cello practice"], "\(split)")
        let made = try #require(try await diary.database.threadProposals.accept(split.id)?.madeThreads?.first)
        #expect(try await diary.database.threads.find(made)?.name == "Cello practice")
    }

    @Test func `changed notes are asked about anew, and nothing is shown of deleted ones`() async throws {
        let diary = try Diary()
        try await fill(diary, [Self.roof])
        let model = ScriptedModel { try Self.good($0, $1) }
        try await run(diary, model)
        try diary.write("UPDATE raw_notes SET test_run = 'x' WHERE id = 1")
        #expect(try await open(diary).first?.phrasing?.sentences.map(\.notes) == [[2]])
        #expect(try await open(diary).first?.summary == "Anna repaired the gutter of the roof on Monday.")
        try diary.write(
            "UPDATE raw_notes SET test_run = NULL WHERE id = 1",
            "UPDATE raw_notes SET content = 'Bo repaired the gutter of the roof on Friday.' WHERE id = 2")
        // The model cannot be reached now: what it said of the old text goes.
        try await run(diary, ScriptedModel { _, _ in throw UpstreamError(.invalidResponse, "away") })
        #expect(try await open(diary).first?.phrasing == nil)
        try await run(diary, model)
        #expect(try await open(diary).first?.phrasing?.sentences.map(\.notes) == [[1]])
        // Odd bytes in our column give the distinctive words.
        try diary.write("UPDATE gateway_thread_proposals SET phrasing = x'ff00'")
        #expect(try await open(diary).first?.phrasing == nil)
        try await run(diary, model)
        #expect(try await open(diary).first?.name == "The leaking roof")
    }

    @Test(.slow) func `a run asks a bounded number of questions, later ones ask the rest`() async throws {
        let diary = try Diary()
        try await fill(
            diary, (0..<60).map { group in (0..<4).map { "Word\(group) and number \($0) of word\(group)." } })
        let model = ScriptedModel { _, _ in "{}" }
        let first = try await run(diary, model)
        #expect(first?.hasSuffix("; 50 without a supported answer of m; 10 for the next run") == true, "\(first ?? "")")
        try await run(diary, model)
        #expect(model.prompts.count == 60)
        try await run(diary, model)
        #expect(model.prompts.count == 60)
    }

    @Test func `two servers run the workflow of a day once`() async throws {
        let diary = try Diary()
        try await fill(diary)
        let other = try GatewayDatabase(path: diary.database.path)
        var texts: [String?] = []
        for database in [diary.database, other] {
            let service = ThreadService(store: database, rule: diary.service.rule, now: diary.now) { _, _, _ in
                (nil, ThreadGroupState(space: 1, position: 7, isGrouped: false))
            }
            let worker = WorkerName()
            let job = try await database.jobs.begin(kind: .threads, parameters: #"{"daily":true}"#, as: worker).job
            texts.append(try await service.work(job) { _ in })
            try await database.jobs.end(job.id, .done, as: worker)
        }
        #expect(texts == ["2 groups of notes, 2 open proposals, 2 of them new", "the workflow ran today"])
        try other.close()
    }
}
