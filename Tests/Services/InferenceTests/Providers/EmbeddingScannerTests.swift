import Foundation
import TestSupport
import Testing
import Transport

@testable import Inference

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

    @Test(arguments: 0..<8)
    func `numbers round as strtof rounds them`(seed: Int) throws {
        var random = SeededGenerator(UInt64(seed + 1))
        func digits(_ most: Int) -> String {
            (0..<Int.random(in: 1...most, using: &random)).map { _ in String(Int.random(in: 0...9, using: &random)) }
                .joined()
        }
        var texts = [
            "0", "-0", "-0.0", "0e9", "1e22", "1e23", "9007199254740993", "3.4028235e38", "1.17549435e-38", "7e-46",
        ]
        for _ in 0..<500 {
            let sign = Bool.random(using: &random) ? "-" : ""
            let fraction = Bool.random(using: &random) ? "." + digits(20) : ""
            let exponent =
                Int.random(in: 0..<3, using: &random) == 0 ? "E\(Int.random(in: -30...15, using: &random))" : ""
            texts.append(sign + digits(seed.isMultiple(of: 2) ? 2 : 20) + fraction + exponent)
            // Halfway between two floats, and a little beside.
            let float = Float.random(in: -2...2, using: &random)
            let middle = (Double(float) + Double(float.nextUp)) / 2
            texts += ["\(float)", "\(Double(float))", "\(middle)", "\(middle.nextUp)", "\(middle.nextDown)"]
        }
        // Integers halfway between two floats.
        for _ in 0..<100 { texts.append("\((1 << 24) + 2 * Int.random(in: 0..<1 << 22, using: &random) + 1)") }
        texts = texts.filter { $0.utf8.count < 64 && strtof($0, nil).isFinite }
        let scanned = try scan(#"{"embeddings":[["# + texts.joined(separator: ",") + "]]}")
        #expect(scanned.values.map(\.bitPattern) == texts.map { strtof($0, nil).bitPattern })
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
