import Inference
import NIOCore
import TestSupport
import Testing
import Transport

@testable import LLM

/// Merged lists are made once for all who ask at the same time.
@Suite struct CatalogueCaching {
    @Test func `those who ask together get one list, and it is kept for a moment`() async throws {
        let cache = CatalogueCache()
        let made = Counter()
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let make: @Sendable () async -> CatalogueCache.List = {
            made.add(1)
            for await _ in gate { break }
            return .success(ByteBuffer(string: "list"))
        }
        let lists = await withTaskGroup(of: String.self) { group in
            for _ in 0..<20 {
                group.addTask { (try? await cache.list("/api/tags", make).get()).map { String(buffer: $0) } ?? "" }
            }
            group.addTask {
                while made.value == 0 { await Task.yield() }
                open.yield()
                open.finish()
                return "list"
            }
            return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(lists == ["list"])
        _ = await cache.list("/api/tags", make)
        #expect(made.value == 1)
        cache.forget()
        _ = await cache.list("/api/tags", make)
        #expect(made.value == 2)
    }

    @Test func `a failure is not kept`() async throws {
        let cache = CatalogueCache()
        let made = Counter()
        for _ in 0..<3 {
            let list = await cache.list("/api/ps") {
                made.add(1)
                return .failure(UpstreamError(.refused, "no"))
            }
            #expect(throws: UpstreamError.self) { try list.get() }
        }
        #expect(made.value == 3)
    }
}
