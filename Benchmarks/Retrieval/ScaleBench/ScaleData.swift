import Foundation
import Retrieval

/// Generated documents: vectors around themes in fewer dimensions than they have, as in `lib/database.py`, and short texts
/// whose words are distributed as in natural text. A block of rows depends on its number only.
struct ScaleData: Sendable {
    static let blockRows = 8192
    static let inner = 64
    static let themes = 2000
    static let vocabulary = 200_000
    static let topics = 1000

    let dimensions: Int
    private let centres: [Float]
    private let frame: [Float]
    private let words: [String]

    init(dimensions: Int) {
        self.dimensions = dimensions
        var random = Source(state: 5)
        centres = (0..<Self.themes * Self.inner).map { _ in random.normal() }
        frame = (0..<Self.inner * dimensions).map { _ in random.normal() }
        let syllables = [
            "ba", "ce", "di", "fo", "gu", "ha", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "zu", "ke",
        ]
        words = (0..<Self.vocabulary).map { number in
            var (rest, word) = (number, "")
            repeat {
                word += syllables[rest % 16]
                rest /= 16
            } while rest > 0
            return word
        }
    }

    /// The rows of a block, as documents with the ids from 1 on.
    func block(_ number: Int, of rows: Int) -> IndexUpdate {
        let range = number * Self.blockRows..<min(rows, (number + 1) * Self.blockRows)
        // Mixed, because states that are multiples of the step apart give the same numbers, shifted.
        var seed = Source(state: UInt64(number) &+ 11)
        var random = Source(state: seed.next())
        var update = IndexUpdate()
        update.documents.reserveCapacity(range.count)
        update.vectors.reserveCapacity(range.count)
        for row in range {
            let id = Int64(row + 1)
            update.documents.append(
                RetrievalDocument(
                    id: id, title: text(3, &random), text: text(15, &random), noteType: row % 10 == 0 ? "task" : "note",
                    createdAt: Int64(1_700_000_000 + row), tags: row % 1000 == 7 ? ["rare"] : []))
            update.vectors.append(VectorEntry(id: id, values: vector(&random)))
        }
        return update
    }

    /// Words of a question, none of the most frequent ones.
    func question(_ random: inout Source) -> String {
        (0..<4).map { _ in words[max(20, rank(&random))] }.joined(separator: " ")
    }

    func text(_ count: Int, _ random: inout Source) -> String {
        var text = ""
        for _ in 0..<count {
            if !text.isEmpty { text += " " }
            text += words[rank(&random)]
        }
        return text
    }

    /// A rank that is the rarer the greater it is: the share of rank r is about 1/r.
    private func rank(_ random: inout Source) -> Int {
        min(Self.vocabulary - 1, Int(pow(Double(Self.vocabulary), random.unit())) - 1)
    }

    /// A vector near a theme; not of length 1.
    func vector(_ random: inout Source) -> [Float] {
        let theme = Int(random.next() % UInt64(Self.themes))
        return [Float](unsafeUninitializedCapacity: dimensions) { values, count in
            for index in 0..<dimensions { values[index] = 0.5 * random.normal() }
            frame.withUnsafeBufferPointer { frame in
                for component in 0..<Self.inner {
                    let weight = centres[theme * Self.inner + component] + 0.7 * random.normal()
                    let line = frame.baseAddress.map { $0 + component * dimensions }
                    guard let line else { continue }
                    for index in 0..<dimensions { values[index] += weight * line[index] }
                }
            }
            count = dimensions
        }
    }

    /// Random numbers, about normal ones from the sum of four bytes.
    struct Source: RandomNumberGenerator, Sendable {
        var state: UInt64
        private var left: UInt64 = 0
        private var hasLeft = false

        init(state: UInt64) { self.state = state }

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }

        mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

        mutating func normal() -> Float {
            hasLeft.toggle()
            if hasLeft { left = next() } else { left >>= 32 }
            let sum = (left & 0xFF) + (left >> 8 & 0xFF) + (left >> 16 & 0xFF) + (left >> 24 & 0xFF)
            // Four bytes have the mean 510 and the deviation 147.8.
            return (Float(sum) - 510) / 147.8
        }
    }
}
