import Foundation
import GatewayAPI
import StoreTestSupport
import TestSupport
import Testing
import Text

@testable import Storage

/// Names of threads that are looked for by what is remembered of them.
@Suite struct ThreadNames {
    /// The plain definition, which takes as long as it takes.
    private enum Plain {
        static func score(_ wanted: String, _ name: String) -> Double {
            let (wanted, name) = (wanted.lowercased(), name.lowercased())
            guard !wanted.isEmpty, !name.isEmpty else { return 0 }
            if wanted == name { return 1 }
            if name.hasPrefix(wanted) { return 0.9 }
            if name.contains(wanted) { return 0.8 }
            let (first, words) = (split(wanted), split(name))
            if !first.isEmpty, first.allSatisfy({ word in words.contains { $0.hasPrefix(word) } }) { return 0.7 }
            let spelling =
                ([name[...]] + words).map { other in
                    let (left, right) = (Array(wanted.prefix(64)), Array(other.prefix(64)))
                    return 1 - Double(distance(left, right)) / Double(max(left.count, right.count, 1))
                }.max() ?? 0
            let (left, right) = (trigrams(wanted), trigrams(name))
            let dice = 2 * Double(left.intersection(right).count) / Double(left.count + right.count)
            return 0.6 * max(dice, spelling)
        }

        static func distance<Letter: Equatable>(_ left: [Letter], _ right: [Letter]) -> Int {
            var table = Array(repeating: Array(repeating: 0, count: right.count + 1), count: left.count + 1)
            for row in 0...left.count { table[row][0] = row }
            for column in 0...right.count { table[0][column] = column }
            for row in left.indices.map({ $0 + 1 }) {
                for column in right.indices.map({ $0 + 1 }) {
                    let change = left[row - 1] == right[column - 1] ? 0 : 1
                    table[row][column] = min(
                        table[row - 1][column] + 1, table[row][column - 1] + 1, table[row - 1][column - 1] + change)
                    if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                        table[row][column] = min(table[row][column], table[row - 2][column - 2] + 1)
                    }
                }
            }
            return table[left.count][right.count]
        }

        private static func split(_ text: String) -> [Substring] { text.split { !$0.isLetter && !$0.isNumber } }

        private static func trigrams(_ text: String) -> Set<String> {
            let characters = Array("  \(text) ")
            return Set((0..<max(0, characters.count - 2)).map { String(characters[$0..<$0 + 3]) })
        }
    }

    private func name(_ letters: [Character], upTo count: Int, _ random: inout some RandomNumberGenerator) -> String {
        let length = Int.random(in: 0...count, using: &random)
        return String((0..<length).compactMap { _ in letters.randomElement(using: &random) })
    }

    @Test func `scores are those of the plain definition`() {
        var random = SeededGenerator(1)
        var scores: Set<Double> = []
        for round in 0..<Gear.rounds(20_000) {
            let letters: [Character] =
                round % 2 == 0 ? ["a", "b", "c", " "] : ["a", "B", "ü", "日", "-", " ", "x", "9"]
            func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespaces) }
            let wanted = trimmed(name(letters, upTo: round % 50 == 0 ? 80 : 9, &random))
            let other = trimmed(name(letters, upTo: round % 70 == 0 ? 80 : 12, &random))
            let (score, plain) = (ThreadNameMatch(wanted).score(other), Plain.score(wanted, other))
            guard plain >= ThreadNameMatch.threshold || score >= ThreadNameMatch.threshold else { continue }
            scores.insert(plain)
            #expect(abs(score - plain) < 1e-12, "\(wanted) and \(other)")
            // What is known to be better is found better, and only that.
            #expect(abs(ThreadNameMatch(wanted).score(other, beating: plain - 0.01) - plain) < 1e-12)
            #expect(ThreadNameMatch(wanted).score(other, beating: plain) <= plain)
        }
        #expect(scores.isSuperset(of: [1, 0.9, 0.8, 0.7]) && scores.count > Gear.rounds(20_000) / 2000)
    }

    @Test func `distances are those of the table`() {
        var random = SeededGenerator(1)
        for round in 0..<Gear.rounds(20_000) {
            let letters: [Character] = round % 3 == 0 ? ["a", "b"] : ["a", "b", "c", "é", "語"]
            let left = name(letters, upTo: round % 10 == 0 ? 64 : 8, &random).unicodeScalars.map(\.value)
            let right = name(letters, upTo: round % 10 == 0 ? 64 : 8, &random).unicodeScalars.map(\.value)
            #expect(EditDistance(from: left).distance(to: right) == Plain.distance(left, right), "\(left) \(right)")
        }
    }

    @Test(.slow) func `names without end, and names made to be slow, are compared all the same`() async throws {
        let database = try TemporaryDatabase().open()
        let tides = String(repeating: "tide ", count: 100)
        for number in 0..<40 {
            _ = try await database.notes.insert([
                NoteDraft(
                    title: "\(number)", content: "c\(number)",
                    threads: (0..<50).map { String(repeating: "ab", count: 200) + "\(number) \($0)" })
            ])
        }
        _ = try await database.notes.insert([NoteDraft(title: "t", content: "t", threads: [tides])])
        let remembered = String(repeating: "ab", count: 200) + "x"
        #expect(try await database.threads.find(named: remembered)?.name.hasPrefix("ab") == true)
        #expect(try await database.threads.find(named: "tide tide tide")?.name.hasPrefix("tide tide") == true)
        #expect(try await database.threads.find(named: String(repeating: "ba", count: 250) + "c") != nil)
        #expect(try await database.threads.find(named: "quantum") == nil)
    }
}
