import FakeOllama
import GatewayAPI
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Inference
@testable import Transport

@Suite struct EmbeddingCaches {
    static func keys(_ range: Range<Int>) -> [EmbeddingKey] {
        let maker = EmbeddingKey.Maker(EmbeddingModel(name: "m", digest: "d"))
        return range.map { maker.key(for: "\($0)") }
    }

    /// A disk in memory, which breaks when it is told to.
    final class Disk: Sendable {
        struct State {
            var vectors: [EmbeddingKey: [Float]] = [:]
            var reads = 0
            var batches: [Int] = []
            var used: Set<EmbeddingKey> = []
            var isBroken = false
        }
        let state = Mutex(State())
        struct Broken: Error {}

        func store() -> EmbeddingStore {
            EmbeddingStore(
                read: { keys in
                    try self.state.withLock { state in
                        state.reads += 1
                        if state.isBroken { throw Broken() }
                        return state.vectors.filter { keys.contains($0.key) }
                    }
                },
                write: { vectors, used in
                    try self.state.withLock { state in
                        if state.isBroken { throw Broken() }
                        state.vectors.merge(vectors) { $1 }
                        state.used.formUnion(used)
                        state.batches.append(vectors.count)
                        return .init(entries: state.vectors.count, bytes: 0, evicted: 0)
                    }
                })
        }
    }

    /// Counts what is logged.
    struct CountingHandler: LogHandler {
        let warnings: Locked<Int>
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) {
            if event.level == .warning { warnings.change { $0 += 1 } }
        }
    }

    func disk(
        _ disk: Disk, _ options: DiskEmbeddingCache.Options = .init(delay: .seconds(1000)),
        warnings: Locked<Int> = Locked(0)
    ) -> DiskEmbeddingCache {
        DiskEmbeddingCache(
            disk.store(), options: options, logger: Logger(label: "test") { _ in CountingHandler(warnings: warnings) })
    }

    @Test(arguments: 0..<5 as Range<UInt64>)
    func `least recently used agrees with a slow model over ten thousand operations`(seed: UInt64) {
        var random = SeededGenerator(seed)
        var cache = LeastRecentlyUsed<Int, Int>(capacity: 100)
        var model: [(key: Int, value: Int, cost: Int)] = []
        var evictions = 0
        for step in 0..<Gear.rounds(10_000) {
            let key = Int.random(in: 0..<30, using: &random)
            let place = model.firstIndex { $0.key == key }
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                let cost = Int.random(in: 0...110, using: &random)
                cache.insert(step, for: key, cost: cost)
                if let place { model.remove(at: place) }
                guard cost <= 100 else { break }
                while model.reduce(cost, { $0 + $1.cost }) > 100 {
                    model.removeFirst()
                    evictions += 1
                }
                model.append((key, step, cost))
            case 1: #expect(cache.peek(key) == place.map { model[$0].value })
            default:
                #expect(cache.value(for: key) == place.map { model[$0].value })
                if let place { model.append(model.remove(at: place)) }
            }
            #expect(cache.count == model.count)
            #expect(cache.cost == model.reduce(0) { $0 + $1.cost })
            #expect(cache.evictions == evictions)
        }
    }

    @Test func `a key is its bytes, and every field counts`() throws {
        let keys = Self.keys(0..<1000)
        #expect(Set(keys).count == 1000)
        for key in keys {
            #expect(key.bytes.count == 32)
            #expect(EmbeddingKey(bytes: key.bytes) == key)
        }
        #expect(EmbeddingKey(bytes: [1, 2]) == nil)
        func key(_ model: EmbeddingModel, _ text: String = "x") -> EmbeddingKey { .Maker(model).key(for: text) }
        let base = EmbeddingModel(name: "m", digest: "d")
        #expect(key(base) == key(EmbeddingModel(name: "another name", digest: "d")))
        #expect(key(EmbeddingModel(name: "d")) != key(base))
        #expect(key(base, "é") != key(base, "e\u{301}"))
        let options = EmbeddingModel(name: "m", digest: "d", options: ["a": .integer(1), "b": .object(["c": .null])])
        #expect(key(options) == key(options))
        #expect(key(options) != key(base))
    }

    @Test func `memory holds its bytes and no more, the least used go`() {
        let cache = MemoryEmbeddingCache(maxBytes: 10 * (400 + MemoryEmbeddingCache.overhead))
        let keys = Self.keys(0..<20)
        let vector = [Float](repeating: 1, count: 100)
        for key in keys.prefix(10) { cache.store([key: vector]) }
        #expect(cache.take([keys[0]]).count == 1)
        for key in keys.suffix(9) { cache.store([key: vector]) }
        #expect(Set(cache.peek(keys).keys) == Set([keys[0]] + keys.suffix(9)))
        let statistics = cache.statistics
        #expect((statistics.entries, statistics.evictions, statistics.hits, statistics.misses) == (10, 9, 1, 0))
        #expect(statistics.bytes == 10 * (400 + MemoryEmbeddingCache.overhead))
    }

    @Test func `the disk is written in batches behind the request, and is read meanwhile`() async {
        let disk = Disk()
        let cache = self.disk(disk)
        let keys = Self.keys(0..<100)
        for key in keys { cache.store([key: [1, 2]]) }
        #expect(disk.state.withLock { $0.batches } == [])
        #expect(await cache.vectors(for: keys).count == 100)
        #expect(disk.state.withLock { $0.reads } == 0)
        await cache.flush()
        #expect(disk.state.withLock { $0.batches } == [100])
        #expect(await cache.vectors(for: keys + Self.keys(100..<103)).count == 100)
        await cache.flush()
        #expect(disk.state.withLock { $0.used.count } == 100)
        let statistics = cache.statistics
        #expect((statistics.hits, statistics.misses, statistics.entries) == (200, 3, 100))
    }

    @Test func `a full batch and the delay both cause a write by themselves`() async {
        let disk = Disk()
        let full = self.disk(disk, .init(delay: .seconds(1000), batch: 10))
        for key in Self.keys(0..<10) { full.store([key: [1]]) }
        while disk.state.withLock({ $0.vectors.count < 10 }) { await Task.yield() }
        let timed = self.disk(disk, .init(delay: .milliseconds(1)))
        for key in Self.keys(10..<12) { timed.store([key: [1]]) }
        while disk.state.withLock({ $0.vectors.count < 12 }) { await Task.yield() }
    }

    @Test func `what waits for the disk is bounded`() async {
        let cache = self.disk(Disk(), .init(delay: .seconds(1000), batch: 1000, maxPendingBytes: 40))
        for key in Self.keys(0..<20) { cache.store([key: [1]]) }
        #expect(cache.peek(Self.keys(0..<20)).count == 10)
        #expect(cache.statistics.dropped == 10)
        await cache.flush()
    }

    @Test(arguments: [true, false]) func `a disk that breaks switches the cache off with one warning`(
        inReading: Bool
    ) async {
        let disk = Disk()
        let warnings = Locked(0)
        let cache = LayeredEmbeddingCache(
            memory: MemoryEmbeddingCache(), disk: self.disk(disk, .init(delay: .seconds(1000)), warnings: warnings))
        let keys = Self.keys(0..<4)
        cache.store([keys[0]: [1]])
        disk.state.withLock { $0.isBroken = true }
        if inReading { #expect(await cache.vectors(for: [keys[1]]).isEmpty) } else { await cache.flush() }
        #expect(cache.statistics.isOff)
        for key in keys { cache.store([key: [1]]) }
        await cache.flush()
        let reads = disk.state.withLock { $0.reads }
        #expect(await cache.vectors(for: keys).count == 4)
        #expect(await cache.vectors(for: Self.keys(50..<60)).isEmpty)
        #expect(disk.state.withLock { $0.reads } == reads)
        #expect(warnings.value == 1)
    }

    @Test func `embedding the same corpus again makes no call, not even after a restart`() async throws {
        let disk = Disk()
        try await FakeOllama.withServer { fake in
            let transport = try UpstreamTransport(configuration: UpstreamConfiguration(host: fake.baseURL))
            let upstream = OllamaUpstream(transport: transport)
            let texts = (0..<300).map { "text \($0) of the corpus 潮" }
            let hashed = HashedEmbedding(dimensions: 384)
            // Looked up here: the lane has little patience for it, and goes without a cache on a machine that is busy.
            let model = EmbeddingModel(name: "all-minilm", digest: try await upstream.digest(of: "all-minilm"))
            for round in 0..<3 {
                let cache = LayeredEmbeddingCache(memory: MemoryEmbeddingCache(), disk: self.disk(disk))
                let lane = EmbeddingLane(
                    upstream: upstream, admission: Admission(maxInFlight: 2, maxWaiting: 100), cache: cache)
                for _ in 0..<2 {
                    let answer = try await lane.embed(texts, with: model, as: AdmissionCaller("a", .batch))
                    #expect(try answer.results.map { try $0.get() } == texts.map(hashed.vector))
                }
                await cache.flush()
                #expect(lane.statistics.calls == (round == 0 ? 10 : 0))
                #expect(fake.statistics.embedBatches.reduce(0, +) == 300)
                #expect(fake.statistics.embedBatches.allSatisfy { $0 <= 32 })
            }
            await transport.shutdown(within: .seconds(1))
        }
    }

    @Test func `without a digest nothing is cached, and vectors of zeros never are`() async throws {
        let cache = MemoryEmbeddingCache()
        let zeros = EmbeddingLane(
            calls: .init(
                embed: { _, texts, _ throws(UpstreamError) in
                    Embeddings(
                        model: "m", dimensions: 2, count: texts.count,
                        values: texts.flatMap { $0 == "zero" ? [0, 0] : [1, 0] }, promptTokens: 0)
                },
                digest: { name, _ throws(UpstreamError) in
                    if name == "away" { throw UpstreamError(.refused, "away") }
                    return "digest"
                }), admission: Admission(maxInFlight: 1, maxWaiting: 10), cache: cache)
        for _ in 0..<2 {
            _ = try await zeros.embed(["x"], with: EmbeddingModel(name: "away"), as: AdmissionCaller("a"))
        }
        #expect(cache.statistics.entries == 0)
        #expect(zeros.statistics.calls == 2)
        _ = try await zeros.embed(["x", "zero"], with: EmbeddingModel(name: "m"), as: AdmissionCaller("a"))
        #expect(cache.statistics.entries == 1)
        let model = EmbeddingModel(name: "m", digest: "digest")
        #expect(await zeros.cached("x", with: model) == [1, 0])
        #expect(await zeros.cached("zero", with: model) == nil)
    }
}
