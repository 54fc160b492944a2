import Foundation
import Testing

@testable import Facts

/// Dialogues that a person labelled with what should be known at their ends.
@Suite struct FactDialogueSet {
    static func dialogues() throws -> [FactDialogue] {
        let file = try #require(Bundle.module.url(forResource: "Fixtures/dialogues", withExtension: "jsonl"))
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            try JSONDecoder().decode(FactDialogue.self, from: Data(line.utf8))
        }
    }

    @Test func `the set is large, in both languages, and half of it is held out`() throws {
        let all = try Self.dialogues()
        #expect(all.count >= 40 && Set(all.map(\.id)).count == all.count)
        #expect(all.reduce(0) { $0 + $1.facts.count } >= 120)
        #expect(all.reduce(0) { $0 + $1.wrong.count } >= 40)
        let held = all.count { $0.heldOut }
        #expect(abs(2 * held - all.count) <= 2)
        #expect(abs(2 * all.count { $0.language == "de" } - all.count) <= 4)
    }

    @Test(arguments: [false, true]) func `facts are found and merged`(heldOut: Bool) throws {
        let score = FactScore(try Self.dialogues().filter { $0.heldOut == heldOut })
        print(
            "fact dialogues, \(heldOut ? "held out" : "calibration"): precision \(score.precision), recall \(score.recall), duplicates \(score.duplicates), resolved \(score.resolution)"
        )
        if ProcessInfo.processInfo.environment["SELENE_FACT_MISSES"] == (heldOut ? "held" : "open") {
            print(score.misses.joined(separator: "\n"))
        }
        #expect(score.precision >= 0.9, "\(score.misses)")
        #expect(score.recall >= (heldOut ? 0.75 : 0.85), "\(score.misses)")
        #expect(score.resolution >= 0.9, "\(score.misses)")
        #expect(score.duplicates <= 2, "\(score.misses)")
    }
}
