import Inference
import NIOCore
import Testing
import Transport

@testable import Access
@testable import Gateway
@testable import LLM
@testable import Search
@testable import Server

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

/// What the log says of errors that are not the gateway's own.
@Suite struct ErrorSummaries {
    private struct Odd: Error { var secret = "the prompt" }
    private struct Sample: Encodable {
        struct Inner: Encodable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(
                    "the prompt", .init(codingPath: encoder.codingPath, debugDescription: "the prompt"))
            }
        }
        var format = ["the prompt": Inner()]
    }

    @Test func `an error's text may quote what was sent, so only its type and place are told`() {
        #expect(ErrorSummary.text(of: Odd()).hasSuffix("Odd"))
        let error = #expect(throws: EncodingError.self) { try JSONReply.data(Sample()) }
        let text = error.map { ErrorSummary.text(of: $0) } ?? ""
        #expect(text == "EncodingError at format.…")
        #expect(ErrorSummary.text(of: GatewayError.field("x", "why")).contains("why"))
    }
}
