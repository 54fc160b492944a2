import Foundation
import GatewayAPI
import TestSupport
import Testing
import Text

@testable import Storage

/// Lists and hashes that are written without an encoder are those that the encoder writes.
@Suite struct QuickValues {
    private let letters = [
        "a", "Z", " ", "~", "\"", "\\", "/", "\t", "\n", "\u{0}", "\u{7f}", "é", "\u{2028}", "👩‍👧", ",",
    ]

    private func text(_ random: inout SeededGenerator, _ kinds: Int) -> String {
        (0..<Int.random(in: 0...6, using: &random)).map { _ in letters[Int.random(in: 0..<kinds, using: &random)] }
            .joined()
    }

    @Test func `lists are written as a JSON encoder writes them`() throws {
        var random = SeededGenerator(3)
        #expect(StoredList.encode([]) == nil)
        for round in 0..<2000 {
            let list = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                text(&random, round % 2 == 0 ? 4 : letters.count)
            }
            let expected = String(decoding: try JSONEncoder().encode(list), as: UTF8.self)
            #expect(StoredList.encode(list) == expected)
            #expect(StoredList.decode(expected) == list)
        }
    }

    @Test func `a note's hash is that of its text to embed`() {
        var random = SeededGenerator(4)
        for _ in 0..<500 {
            let (title, content) = (text(&random, letters.count), text(&random, letters.count))
            let joined = EmbeddedText.of(title: title, content: content)
            #expect(ContentHash.of(title: title, content: content) == ContentHash.of(title: "", content: joined))
        }
        // SHA-256 of "abc", FIPS 180-2.
        #expect(
            Hexadecimal.text(ContentHash.of(title: "", content: "abc"))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }
}
