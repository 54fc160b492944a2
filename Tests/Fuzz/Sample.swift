import Foundation
import TestSupport

/// Inputs for a sample: those that are kept for a target, and random changes of them.
enum Sample {
    /// Bytes of an input at most.
    static let longest = 4_096

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Seeds")

    /// The kept inputs of a target in the order of their names; one empty input where none are kept.
    static func seeds(of name: String) -> [[UInt8]] {
        let folder = folder.appending(path: name)
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let seeds = files.sorted().compactMap { try? Data(contentsOf: folder.appending(path: $0)) }.map { [UInt8]($0) }
        return seeds.isEmpty ? [[]] : seeds
    }

    /// `count` inputs, each a seed after one to eight random edits. The same arguments give the same inputs.
    static func changes(of seeds: [[UInt8]], count: Int, seed: UInt64) -> [[UInt8]] {
        var numbers = SeededGenerator(seed)
        return (0..<count).map { _ in
            var bytes = seeds.randomElement(using: &numbers) ?? []
            for _ in 0..<Int.random(in: 1...8, using: &numbers) {
                edit(&bytes, other: seeds.randomElement(using: &numbers) ?? [], &numbers)
            }
            return Array(bytes.prefix(longest))
        }
    }

    /// Pieces at which parsers decide.
    private static let pieces =
        [
            "\0", "\n", "\r\n", "\u{feff}", "\"", "\\u0000", "\\ud800", "{", "}", "[[[[[[[[", "null", "-1", "1e999",
            "NaN",
            "9223372036854775808", "-9223372036854775809", "18446744073709551616", "é", "e\u{301}", "\u{202e}", "👩‍👩‍👧",
            "data: ", "\n\n", ": ", "[1]", "<a>", "%00", "../", "2026-02-30", "25:61", "\u{ff}",
        ].map { Array($0.utf8) } + [[0xff], [0xc3, 0x28], [0xf4, 0x90, 0x80, 0x80], [0x80]]

    private static func edit(_ bytes: inout [UInt8], other: [UInt8], _ numbers: inout SeededGenerator) {
        let place = Int.random(in: 0...bytes.count, using: &numbers)
        let end = min(bytes.count, place + Int.random(in: 0...16, using: &numbers))
        switch Int.random(in: 0..<7, using: &numbers) {
        case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
        case 1 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 4: bytes.removeSubrange(place...)
        case 5:
            let cut = Int.random(in: 0...other.count, using: &numbers)
            bytes.replaceSubrange(place..., with: other[cut...])
        default: bytes.insert(contentsOf: pieces.randomElement(using: &numbers) ?? [], at: place)
        }
    }
}
