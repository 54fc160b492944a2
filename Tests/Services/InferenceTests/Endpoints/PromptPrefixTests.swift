import FakeOllama
import Foundation
import NIOCore
import TestSupport
import Testing

@testable import Inference
@testable import Transport

/// Conversations that stay at the endpoint that has computed their beginning.
@Suite(.serialized) struct PromptPrefixTests {
    private func body(_ text: String) -> ByteBuffer { ByteBuffer(string: text) }

    @Test func `two bodies have the hashes of the blocks that they begin with in common`() {
        var random = SeededGenerator(3)
        for _ in 0..<200 {
            let common = (0..<Int.random(in: 0...3000, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let bodies = (0..<2).map { index in
                PromptPrefixes.hashes(
                    of: ByteBuffer(
                        bytes: common + [UInt8(index)]
                            + Array(repeating: 7, count: Int.random(in: 0...2000, using: &random))))
            }
            let shared = zip(bodies[0], bodies[1]).prefix { $0 == $1 }.count
            #expect(shared == min(common.count / PromptPrefixes.block, bodies[0].count, bodies[1].count))
            #expect(Set(bodies[0]).count == bodies[0].count)
        }
        #expect(PromptPrefixes.hashes(of: body(String(repeating: "x", count: 511))).isEmpty)
        let long = ByteBuffer(repeating: 0, count: PromptPrefixes.longest * 3)
        #expect(PromptPrefixes.hashes(of: long).count == PromptPrefixes.longest / PromptPrefixes.block)
    }

    @Test func `the longest beginning counts, and one that most conversations share does not`() {
        var prefixes = PromptPrefixes()
        prefixes.sent([1, 2, 3], to: "a", turn: 1)
        prefixes.sent([1, 2, 9, 10], to: "b", turn: 2)
        #expect(prefixes.endpoint(for: [1, 2, 3, 4]) == "a")
        #expect(prefixes.endpoint(for: [1, 2, 9, 10, 11]) == "b")
        #expect(prefixes.endpoint(for: [1, 2, 5, 6]) == "b")
        #expect(prefixes.endpoint(for: [1, 2, 5, 6, 7]) == nil)
        #expect(prefixes.endpoint(for: []) == nil)
    }

    @Test func `old beginnings are forgotten, the latest stay`() {
        var prefixes = PromptPrefixes(limit: 100)
        for turn in 1...1000 as ClosedRange<UInt64> { prefixes.sent([turn], to: "\(turn)", turn: turn) }
        #expect(prefixes.endpoint(for: [1000]) == "1000" && prefixes.endpoint(for: [960]) == "960")
        #expect(prefixes.endpoint(for: [800]) == nil)
    }

    @Test func `each of several conversations stays at one endpoint, and all endpoints have work`() async throws {
        try await EndpointPools.with([["x"], ["x"], ["x"]]) { fakes, pool in
            await pool.probe()
            let rules = String(repeating: "Be brief. ", count: 80)
            var histories = (0..<9).map { "\(rules) conversation \($0): " + String(repeating: "\($0) ", count: 700) }
            var places: [Set<Int>] = Array(repeating: [], count: histories.count)
            for turn in 0..<6 {
                for index in histories.indices {
                    // A response counts until it is dropped.
                    try await waitUntil { pool.endpoints.allSatisfy { $0.status.inFlight == 0 } }
                    let before = fakes.map { $0.statistics.requests["/api/generate", default: 0] }
                    let text = #"{"model":"x","stream":false,"prompt":"\#(histories[index])"}"#
                    let response = try await pool.send(
                        UpstreamRequest(
                            method: "POST", path: "/api/generate", headers: [("Content-Type", "application/json")],
                            body: body(text)), model: "x")
                    _ = try await response.body.collect(upTo: 1 << 20)
                    let after = fakes.map { $0.statistics.requests["/api/generate", default: 0] }
                    if let place = zip(before, after).enumerated().first(where: { $0.element.0 != $0.element.1 }) {
                        places[index].insert(place.offset)
                    }
                    histories[index] += " answer \(turn), and another question?"
                }
            }
            #expect(places.allSatisfy { $0.count == 1 })
            #expect(Set(places.joined()).count == 3)
        }
    }
}
