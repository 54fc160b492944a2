import TestSupport
import Testing

@testable import Retrieval

/// A vocabulary in memory against a look at every run.
@Suite struct RunVocabularyTests {
    private static let letters = Array("aabbccdé日")

    private static func word(_ length: ClosedRange<Int>, _ random: inout SeededGenerator) -> String {
        String(
            (0..<Int.random(in: length, using: &random)).map { _ in
                letters[Int.random(in: 0..<letters.count, using: &random)]
            })
    }

    @Test(.slow, arguments: [1, 2] as [UInt64])
    func `it finds what a look at every run finds, however the runs came`(seed: UInt64) {
        var random = SeededGenerator(seed)
        var (vocabulary, all, known) = (RunVocabulary(), [RunVocabulary.Run](), Set<String>())
        for number in 1...8000 {
            let text = Self.word(1...8, &random)
            // Numbers may be left out.
            if known.insert(text).inserted { all.append(.init(id: Int32(number), text: text)) }
        }
        let stemmed = all.reduce(into: [:]) { $0[$1.id] = Set(IndexedText.stems(of: $1.text)) }
        var rest = all[...]
        while !rest.isEmpty {
            let part = rest.prefix(Int.random(in: 1...2500, using: &random))
            rest = rest.dropFirst(part.count)
            // Known ones are left out.
            vocabulary.append(Array(all[..<part.startIndex].suffix(3)) + part)
            let here = all[..<part.endIndex]
            #expect(vocabulary.count == here.count && vocabulary.last == here.last?.id)
            for _ in 0..<2 {
                let patterns = [Self.word(1...4, &random), Self.word(2...3, &random)]
                let stems = [
                    Self.word(2...5, &random),
                    IndexedText.stems(of: here.randomElement(using: &random)?.text ?? "").first ?? "",
                ]
                let whole = here.randomElement(using: &random)?.text ?? ""
                let parts: [KeywordQuestion.Part] = [
                    .prefix(Self.word(1...3, &random)), .suffix(Self.word(1...3, &random)), .whole(whole),
                ]
                for (stems, patterns, parts) in [
                    (stems, [], []), ([], patterns, []), ([], [], parts), (stems, patterns, parts),
                ] {
                    let found = vocabulary.runs(stems: stems, patterns: patterns, parts: parts)
                    let expected = here.filter { run in
                        patterns.contains { run.text.utf8.firstRange(of: $0.utf8) != nil }
                            || parts.contains { $0.matches(run.text) }
                            || stemmed[run.id]?.isDisjoint(with: stems) == false
                    }
                    #expect(Set(found) == Set(expected) && found.count == expected.count)
                }
            }
        }
        let stems = (0..<20).map { _ in Self.word(1...4, &random) }
        for (stem, runs) in vocabulary.runs(of: stems) {
            #expect(Set(runs) == Set(all.filter { stemmed[$0.id]?.contains(stem) == true }))
        }
    }

    @Test func `an empty one finds nothing, and suffixes may overlap`() {
        var vocabulary = RunVocabulary()
        #expect(vocabulary.runs(stems: ["a"], patterns: ["a"], parts: [.whole("a")]).isEmpty && vocabulary.last == 0)
        vocabulary.append([.init(id: 3, text: "aaaa"), .init(id: 9, text: "baab")])
        vocabulary.append((10...20_000).map { .init(id: $0, text: "x\($0)") })
        #expect(vocabulary.runs(stems: [], patterns: [], parts: [.suffix("aaa")]).map(\.id) == [3])
        #expect(vocabulary.runs(stems: [], patterns: ["aa"]).map(\.id) == [3, 9])
        #expect(vocabulary.runs(stems: [], patterns: [], parts: [.whole("x19999")]).map(\.id) == [19_999])
        #expect(vocabulary.byteCount > 100_000)
    }
}
