import Foundation
import NIOCore
import Testing

@testable import Inference
@testable import Transport

@Suite struct LineFraming {
    /// Feeds a text cut at random places and returns what comes out.
    func frame(_ text: [UInt8], seed: UInt64) throws -> (lines: [UInt8], pieces: [[UInt8]], rest: [UInt8]) {
        var framer = LineFramer(maxLineBytes: 1000)
        var seed = seed
        var lines: [UInt8] = []
        var pieces: [[UInt8]] = []
        var rest = text[...]
        while !rest.isEmpty {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let length = min(rest.count, Int(seed >> 33 % 7) + 1)
            if let out = try framer.push(ByteBuffer(bytes: rest.prefix(length))) {
                pieces.append(Array(out.readableBytesView))
                lines += Array(out.readableBytesView)
            }
            rest = rest.dropFirst(length)
        }
        return (lines, pieces, Array(framer.remainder.readableBytesView))
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `however it is cut, the same bytes come out in whole lines`(seed: UInt64) throws {
        let text = Array("{\"a\":1}\n{\"b\":\"\u{85}\u{2028}\u{2029}é🎻\"}\n\n{\"c\":3}\r\n{\"half".utf8)
        let (lines, pieces, rest) = try frame(text, seed: seed)
        #expect(lines + rest == text)
        #expect(rest == Array("{\"half".utf8))
        for piece in pieces { #expect(piece.last == UInt8(ascii: "\n")) }
    }

    @Test func `a line may be as long as the limit and no longer`() throws {
        var fits = LineFramer(maxLineBytes: 4)
        #expect(try fits.push(ByteBuffer(string: "ab")) == nil)
        #expect(try fits.push(ByteBuffer(string: "cd\nx")).map { String(buffer: $0) } == "abcd\n")
        for chunks in [["abcde"], ["abc", "de\n"], ["abcde\n"], ["a\nbcdef"]] {
            var framer = LineFramer(maxLineBytes: 4)
            #expect(throws: UpstreamError.self) {
                for chunk in chunks { _ = try framer.push(ByteBuffer(string: chunk)) }
            }
        }
    }
}

@Suite struct EmbeddingScanning {
    func scan(_ text: String) throws -> Embeddings {
        try Array(text.utf8).withUnsafeBufferPointer { bytes throws(UpstreamError) in
            try EmbeddingScanner.scan(bytes)
        }
    }

    @Test(arguments: 0..<10)
    func `reads the numbers that a JSON decoder reads`(seed: Int) throws {
        struct Reply: Codable {
            var model: String
            var embeddings: [[Float]]
            var prompt_eval_count: Int
        }
        var state = UInt64(seed + 1)
        func random() -> Float {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let value = Float(bitPattern: UInt32(truncatingIfNeeded: state >> 32))
            return value.isFinite ? value : Float(seed)
        }
        let reply = Reply(
            model: "m", embeddings: (0..<5).map { _ in (0..<40).map { _ in random() } }, prompt_eval_count: 9)
        let text = String(decoding: try JSONEncoder().encode(reply), as: UTF8.self)
        let scanned = try scan(text)
        #expect(scanned.values == reply.embeddings.flatMap(\.self))
        #expect(scanned.count == 5)
        #expect(scanned.dimensions == 40)
        #expect(scanned.promptTokens == 9)
        #expect(scanned.model == "m")
    }

    @Test func `takes any order, spaces, unknown fields, exponents`() throws {
        let scanned = try scan(
            " { \"x\" : {\"y\":[1,\"]\\\"\",null,{}]} , \"embeddings\" : [ [ 1 , -2.5e-3 ] , [1E+2,0] ] ,\n\"model\":\"m\"}\n"
        )
        #expect(scanned.values == [1, -2.5e-3, 100, 0])
        #expect(try scan(#"{"model":"m","embeddings":[]}"#).count == 0)
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"embeddings":[[1,2],[3]]}"#, #"{"embeddings":[[1e99]]}"#, #"{"embeddings":[[NaN]]}"#,
        #"{"embeddings":[[]]}"#, #"{"embeddings":[[1]"#, #"{"embeddings":[[1,]]}"#, #"{"embeddings":[["1"]]}"#,
        #"{"embeddings":[[1]]} x"#, #"{"embeddings":[[1.2.3]]}"#, #"{"embeddings":[[--1]]}"#, #"{"embeddings":[[+1]]}"#,
        #"{"embeddings":[[null]]}"#, "{\"embeddings\":[[\(String(repeating: "1", count: 80))]]}",
        #"{"a":"# + String(repeating: "[", count: 100),
    ])
    func `refuses what is not vectors`(text: String) {
        #expect(throws: UpstreamError.self) { try scan(text) }
    }
}

@Suite struct Addresses {
    @Test(arguments: [
        ("127.0.0.1", "http://127.0.0.1:11434"), ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"), (":8080", "http://127.0.0.1:8080"),
        ("host", "http://host:11434"), ("host:1", "http://host:1"), ("http://host", "http://host:80"),
        ("https://host/", "https://host:443"), ("https://host:8443/ollama/", "https://host:8443/ollama"),
        ("[::1]", "http://[::1]:11434"), ("[::]:99", "http://[::1]:99"), ("::1", "http://[::1]:11434"),
        (" \"host:5\" ", "http://host:5"), ("", "http://127.0.0.1:11434"),
    ])
    func `every form that Ollama's tools take is taken`(text: String, expected: String) throws {
        #expect(try UpstreamConfiguration(host: text).baseURL == expected)
    }

    @Test(arguments: ["ftp://host", "host:0", "host:99999", "host:x", "[::1", "http://user@host", "ho st:1x"])
    func `what cannot be dialled is refused`(text: String) {
        #expect(throws: UpstreamError.self) { try UpstreamConfiguration(host: text) }
    }
}

@Suite struct Profiles {
    @Test(arguments: [
        ("nomic-embed-text", "search_query: q"), ("library/nomic-embed-text:v1.5", "search_query: q"),
        ("bge-m3", "q"), ("bge-large", "Represent this sentence for searching relevant passages: q"),
        ("all-minilm:latest", "q"), ("unknown", "q"), ("embeddinggemma:300m", "task: search result | query: q"),
    ])
    func `a model's queries get its prefix`(model: String, expected: String) {
        #expect(ModelProfile(model: model).prepared("q", kind: .query) == expected)
    }

    @Test func `documents get theirs`() {
        #expect(ModelProfile(model: "nomic-embed-text").prepared("d", kind: .document) == "search_document: d")
        #expect(ModelProfile(model: "multilingual-e5-large").prepared("d", kind: .document) == "passage: d")
    }
}
