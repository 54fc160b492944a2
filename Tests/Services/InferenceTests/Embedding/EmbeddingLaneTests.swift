import GatewayAPI
import Synchronization
import TestSupport
import Testing

@testable import Inference
@testable import Transport

@Suite struct EmbeddingLanes {
    let model = EmbeddingModel(name: "m", digest: "d")
    let caller = AdmissionCaller("a")

    func waitUntil(_ condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }

    @Test func `a long list is split, keeps its order, and sends a repeated text once`() async throws {
        let fake = GatedModel()
        let lane = fake.lane(options: .init(maxInputs: 4, maxBytes: 40, maxCallsPerRequest: 3))
        let texts = (0..<50).map { String(repeating: "x", count: $0 % 17 + 1) + "\($0 % 23)" }
        let answer = try await lane.embed(texts, with: model, as: caller)
        #expect(try answer.results.map { try $0.get() } == texts.map(GatedModel.vector))
        #expect(fake.calls.allSatisfy { $0.count <= 4 })
        #expect(fake.calls.allSatisfy { $0.count == 1 || $0.reduce(0) { $0 + $1.utf8.count } <= 40 })
        #expect(fake.calls.flatMap(\.self).count == Set(texts).count)
        let block = try answer.embeddings(model: "m")
        #expect(block.count == 50)
        #expect(block.vector(49) == GatedModel.vector(texts[49]))
        #expect(try await lane.embed([], with: model, as: caller).results.isEmpty)
    }

    @Test(.timeLimit(.minutes(1)))
    func `the place of a call is free when its answer is there, while it is still parsed`() async throws {
        let isSecondThere = Atomic(false)
        let received = Mutex<[Bool]>([])
        let lane = EmbeddingLane(
            calls: .init(
                embed: { _, texts, received throws(UpstreamError) in
                    received()
                    if texts == ["first"] {
                        while !isSecondThere.load(ordering: .acquiring) { await Task.yield() }
                    } else {
                        isSecondThere.store(true, ordering: .releasing)
                    }
                    return Embeddings(model: "m", dimensions: 1, count: 1, values: [1], promptTokens: 1)
                },
                digest: { _, _ throws(UpstreamError) in "d" }),
            admission: Admission(maxInFlight: 1, maxWaiting: 8), cache: nil)
        async let first = lane.embed(["first"], with: model, as: caller) {
            received.withLock { $0.append(isSecondThere.load(ordering: .acquiring)) }
        }
        await waitUntil { received.withLock { !$0.isEmpty } }
        #expect(try await lane.embed(["second"], with: model, as: caller).results.count == 1)
        #expect(try await first.results.count == 1)
        #expect(received.withLock { $0 } == [false])
        // Several calls for one list: none of them ends the work at the model.
        let split = GatedModel().lane(options: .init(maxInputs: 1, maxCallsPerRequest: 2))
        _ = try await split.embed(["a", "b"], with: model, as: caller) { Issue.record("called") }
    }

    @Test func `texts without a usable vector are found, and only they fail`() async throws {
        let calls = Mutex(0)
        let lane = EmbeddingLane(
            calls: .init(
                embed: { _, texts, _ throws(UpstreamError) in
                    calls.withLock { $0 += 1 }
                    guard !texts.contains("null") else { throw UpstreamError(.invalidResponse, "null") }
                    // One vector too few, or one of another length.
                    let sent = texts.filter { $0 != "fewer" }
                    return Embeddings(
                        model: "m", dimensions: 2, count: sent.count,
                        values: sent.flatMap {
                            $0 == "large" ? [1e30, 1e30] : $0 == "tiny" ? [1e-30, 1e-30] : [1, 2] as [Float]
                        },
                        promptTokens: 1)
                },
                digest: { _, _ throws(UpstreamError) in "d" }),
            admission: Admission(maxInFlight: 1, maxWaiting: 8), cache: MemoryEmbeddingCache(maxBytes: 1 << 20))
        let texts = ["a", "null", "b", "fewer", "c", "large", "tiny", "d"]
        let results = try await lane.embed(texts, with: model, as: caller).results
        for (text, result) in zip(texts, results) {
            switch result {
            case .success(let vector): #expect(text.count == 1 && vector == [1, 2])
            case .failure(let error): #expect(text.count > 1 && error.isRefusalOfInput && !error.message.isEmpty)
            }
        }
        let works = try await lane.works(model, dimensions: 2, as: caller)
        let worksOtherwise = try await lane.works(model, dimensions: 3, as: caller)
        #expect(works && !worksOtherwise)
        // A bad vector is not cached.
        let before = calls.withLock { $0 }
        _ = try await lane.embed(["a", "large"], with: model, as: caller)
        #expect(calls.withLock { $0 } == before + 1)
    }

    @Test func `a request has only so many calls at once`() async throws {
        let fake = GatedModel(isOpen: false)
        let lane = fake.lane(options: .init(maxInputs: 1, maxCallsPerRequest: 2))
        let task = Task { try await lane.embed((0..<6).map(String.init), with: model, as: caller) }
        await fake.waitForCalls(2)
        for _ in 0..<100 { await Task.yield() }
        #expect(fake.calls.count == 2)
        fake.open()
        #expect(try await task.value.results.count == 6)
    }

    @Test func `a call that is shared is charged to each who asked, also to one who leaves`() async throws {
        let fake = GatedModel(isOpen: false)
        let lane = fake.lane(cache: MemoryEmbeddingCache(maxBytes: 1 << 20))
        let text = String(repeating: "x", count: 400)
        let costs = [EmbeddingCost(), EmbeddingCost(), EmbeddingCost()]
        let tasks = costs.map { cost in
            Task { try await lane.embed([text], with: model, as: caller, cost: cost) }
        }
        await waitUntil { lane.state.withLock { $0.table.sharerCount } == 3 }
        await fake.waitForCalls(1)
        tasks[2].cancel()
        _ = await tasks[2].result
        fake.open()
        for task in tasks.prefix(2) { #expect(try await task.value.results[0].get() == GatedModel.vector(text)) }
        #expect(fake.calls.count == 1)
        #expect(costs.map(\.tokens) == [100, 100, 100])
        // What the cache answers is free.
        let cached = EmbeddingCost()
        #expect(try await lane.embed([text], with: model, as: caller, cost: cached).cached == 1)
        #expect(cached.tokens == 0)
    }

    @Test func `a call that fails is free, and the model's own count takes the place of the estimate`() async throws {
        let cost = EmbeddingCost()
        let broken = GatedModel { _ in UpstreamError(.refused, "away") }
        _ = try await broken.lane().embed(["some text"], with: model, as: caller, cost: cost)
        #expect(cost.tokens == 0)
        let estimate = cost.begin(["four", "eight by", ""])
        #expect(estimate == 4 && cost.tokens == 4)
        cost.adjust(estimate, counted: 11)
        #expect(cost.tokens == 11)
        cost.adjust(cost.begin(["four"]), counted: 0)
        #expect(cost.tokens == 12)
    }

    @Test func `the same text in flight is sent once, however many want it`() async throws {
        let fake = GatedModel(isOpen: false)
        let lane = fake.lane()
        let tasks = (0..<50).map { number in
            Task { try await lane.embed(["same", "own \(number)"], with: model, as: AdmissionCaller("\(number)")) }
        }
        await fake.waitForCalls(1)
        await waitUntil { lane.state.withLock { $0.table.count } == 50 }
        fake.open()
        var shared = 0
        for task in tasks {
            let answer = try await task.value
            shared += answer.shared
            #expect(try answer.results[0].get() == GatedModel.vector("same"))
        }
        #expect(shared == 49)
        #expect(fake.calls.flatMap(\.self).count { $0 == "same" } == 1)
        #expect(fake.calls.flatMap(\.self).count == 51)
        #expect(lane.state.withLock { $0.table.isEmpty && $0.tasks.isEmpty })
    }

    @Test func `other weights, options or dimensions are not the same text`() async throws {
        let fake = GatedModel(isOpen: false)
        let lane = fake.lane()
        let models = [
            model, EmbeddingModel(name: "m", digest: "e"), EmbeddingModel(name: "m"),
            EmbeddingModel(name: "m", digest: "d", dimensions: 2),
            EmbeddingModel(name: "m", digest: "d", options: ["num_ctx": .integer(1)]),
            EmbeddingModel(name: "m", digest: "d", truncates: false),
        ]
        let tasks = models.map { model in Task { try await lane.embed(["x"], with: model, as: caller) } }
        await fake.waitForCalls(models.count)
        fake.open()
        for task in tasks { #expect(try await task.value.shared == 0) }
        #expect(fake.calls.count == models.count)
    }

    @Test func `when one leaves the others go on, and when all leave the call is aborted`() async throws {
        let fake = GatedModel(isOpen: false)
        let lane = fake.lane()
        let tasks = (0..<3).map { _ in Task { try await lane.embed(["x"], with: model, as: caller) } }
        await fake.waitForCalls(1)
        await waitUntil { lane.state.withLock { $0.table.sharerCount } == 3 }
        tasks[0].cancel()
        await #expect(throws: UpstreamError.self) { try await tasks[0].value }
        #expect(fake.aborted == 0)
        tasks[1].cancel()
        await #expect(throws: UpstreamError.self) { try await tasks[1].value }
        #expect(lane.statistics.inFlight == 1)
        tasks[2].cancel()
        await #expect(throws: UpstreamError.self) { try await tasks[2].value }
        await waitUntil { fake.aborted == 1 }
        await waitUntil { lane.admission.load.inFlight == 0 }
        #expect(lane.statistics.aborted == 1)
        #expect(lane.state.withLock { $0.table.isEmpty && $0.tasks.isEmpty })
        // The same text is embedded anew.
        fake.open()
        #expect(try await lane.embed(["x"], with: model, as: caller).results.count == 1)
        #expect(fake.calls.count == 2)
    }

    @Test func `the first one may leave before its call has a place, and the call still serves the second`()
        async throws
    {
        let fake = GatedModel()
        let admission = Admission(maxInFlight: 1, maxWaiting: 10)
        let lane = fake.lane(admission: admission)
        let held = try await admission.acquire(caller)
        let first = Task { try await lane.embed(["x"], with: model, as: caller) }
        await waitUntil { admission.load.waiting == 1 }
        let second = Task { try await lane.embed(["x"], with: model, as: AdmissionCaller("b")) }
        await waitUntil { lane.state.withLock { $0.table.sharerCount } == 2 }
        first.cancel()
        await #expect(throws: UpstreamError.self) { try await first.value }
        held.release()
        #expect(try await second.value.shared == 1)
        #expect(fake.calls == [["x"]])
    }

    @Test func `queries go before documents, and do not wait for a document's call`() async throws {
        let fake = GatedModel()
        let admission = Admission(maxInFlight: 1, maxWaiting: 10)
        let lane = fake.lane(admission: admission)
        let held = try await admission.acquire(caller)
        let documents = Task {
            try await lane.embed(["a", "b"], with: model, as: AdmissionCaller("a", .batch))
        }
        await waitUntil { admission.load.waiting == 1 }
        let query = Task { try await lane.embed(["b"], with: model, as: caller) }
        await waitUntil { admission.load.waiting == 2 }
        held.release()
        #expect(try await query.value.shared == 0)
        _ = try await documents.value
        #expect(fake.calls == [["b"], ["a", "b"]])
    }

    @Test(arguments: [400, 500]) func `a text that is refused fails alone`(status: Int) async throws {
        let fake = GatedModel { texts in
            texts.contains { $0.hasPrefix("bad") } ? UpstreamError(.status, "too long", status: status) : nil
        }
        let lane = fake.lane()
        let texts = (0..<32).map { $0 == 5 || $0 == 29 ? "bad \($0)" : "good \($0)" }
        let answer = try await lane.embed(texts, with: model, as: caller)
        for (text, result) in zip(texts, answer.results) {
            switch result {
            case .success(let vector): #expect(vector == GatedModel.vector(text))
            case .failure(let error): #expect(text.hasPrefix("bad") && error.message == "too long")
            }
        }
        #expect(answer.results.count { (try? $0.get()) == nil } == 2)
        #expect(answer.outage == nil)
        #expect(throws: UpstreamError.self) { try answer.embeddings(model: "m") }
        #expect(fake.calls.count <= 1 + 4 * 5)
        #expect(lane.statistics.refused == 2)
    }

    @Test func `an upstream that is away is not asked again for the rest`() async throws {
        let fake = GatedModel { _ in UpstreamError(.refused, "away") }
        let lane = fake.lane(options: .init(maxInputs: 1, maxCallsPerRequest: 1))
        let answer = try await lane.embed((0..<100).map(String.init), with: model, as: caller)
        #expect(answer.results.count == 100)
        #expect(answer.outage?.code == .refused)
        #expect(fake.calls.count == 1)
    }

    @Test func `too many waiting is an overload with its time to try again`() async throws {
        let fake = GatedModel(isOpen: false)
        let lane = fake.lane(admission: Admission(maxInFlight: 1, maxWaiting: 0))
        let first = Task { try await lane.embed(["x"], with: model, as: caller) }
        await fake.waitForCalls(1)
        let error = try await lane.embed(["y"], with: model, as: caller).outage
        #expect(error?.code == .overloaded)
        #expect(error?.retryAfterSeconds == 1)
        fake.open()
        _ = try await first.value
    }
}
