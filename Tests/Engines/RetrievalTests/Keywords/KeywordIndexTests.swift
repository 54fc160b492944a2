import TestSupport
import Testing

@testable import Retrieval
@testable import Text

/// The keyword index against brute force, through changes, removals and merges.
@Suite struct KeywordIndices {
    static let alphabet = [
        "a", "b", "ab", "ba", "B", "the", "é", "e\u{301}", "Ω", "ß", "SS", "%", "_", "\\", "'", "\"", "日", "本", "🎻",
        "👩‍🔬", " ", " ", " ", "\n", "\t", "İ", "1", "22", "-", "ﬁ", "—", "“", "\u{0}", "\u{1}", "\u{7F}", "\u{1B}",
    ]

    static func text(_ length: Int, _ random: inout SeededGenerator) -> [UInt8] {
        TextFolding.fold((0..<length).map { _ in alphabet.randomElement(using: &random) ?? "a" }.joined())
    }

    /// Patterns of the alphabet, and parts of texts, cut anywhere, even inside a character.
    static func pattern(_ model: ReferenceKeywordIndex, _ random: inout SeededGenerator) -> [UInt8] {
        if Bool.random(using: &random), let document = model.documents.randomElement(using: &random)?.value {
            let field = Bool.random(using: &random) ? document.title : document.text
            let start = Int.random(in: 0...field.count, using: &random)
            return Array(field[start...].prefix(Int.random(in: 1...9, using: &random)))
        }
        return text([1, 1, 2, 2, 3, 4].randomElement(using: &random) ?? 1, &random)
    }

    func check(_ index: KeywordIndex, _ model: ReferenceKeywordIndex, _ patterns: [[UInt8]]) {
        #expect(index.count == model.documents.count)
        #expect(index.liveBytes == model.documents.values.reduce(0) { $0 + $1.title.count + $1.text.count + 2 })
        for pattern in patterns {
            let expected = model.matches(of: pattern)
            for plan in [nil] + KeywordPlan.allCases {
                #expect(
                    index.matches(of: pattern, forcing: plan) == expected,
                    "\(String(decoding: pattern, as: UTF8.self).debugDescription) by \(String(describing: plan))")
            }
        }
    }

    @Test(.slow, arguments: 0..<40)
    func `every plan finds what brute force finds, through changes and merges`(seed: Int) throws {
        var random = SeededGenerator(UInt64(seed))
        var index = KeywordIndex()
        var model = ReferenceKeywordIndex()
        for round in 0..<25 {
            var documents: [KeywordDocument] = []
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                documents.append(
                    (
                        Int.random(in: 0..<80, using: &random),
                        Self.text(Int.random(in: 0..<6, using: &random), &random),
                        Self.text(Int.random(in: 0..<60, using: &random), &random)
                    ))
            }
            let removed = (0..<Int.random(in: 0...3, using: &random)).map { _ in Int.random(in: 0..<90, using: &random)
            }
            try index.apply(set: documents, removed: removed)
            for ordinal in removed { model.documents[ordinal] = nil }
            for document in documents {
                model.documents[document.ordinal] = .init(title: document.title, text: document.text)
            }
            guard round % 6 == 5 else { continue }
            check(index, model, (0..<12).map { _ in Self.pattern(model, &random) })
        }
        // All in one segment, whose documents are numbered anew.
        guard let merged = try index.merged() else { return }
        var renumbered = ReferenceKeywordIndex()
        for (number, ordinal) in model.documents.keys.sorted().enumerated() {
            renumbered.documents[number] = model.documents[ordinal]
        }
        check(
            try KeywordIndex(segment: merged), renumbered, (0..<12).map { _ in Self.pattern(renumbered, &random) })
    }

    @Test func `a snapshot stays as it was while the index changes`() throws {
        var index = KeywordIndex()
        try index.apply(set: (0..<50).map { ($0, [], Array("old \($0)".utf8)) })
        let snapshot = index
        for ordinal in 0..<50 { try index.apply(set: [(ordinal, [], Array("new".utf8))], removed: [ordinal + 1]) }
        #expect(snapshot.matches(of: Array("old".utf8)).count == 50)
        #expect(snapshot.matches(of: Array("new".utf8)).isEmpty)
        #expect(index.matches(of: Array("old".utf8)).isEmpty)
    }

    @Test func `segments stay few and no bytes pile up`() throws {
        var index = KeywordIndex()
        let text = Array("some words that stand in every text ".utf8)
        for round in 0..<2000 {
            try index.apply(set: [(round % 700, [], text + Array("\(round)".utf8))])
            #expect(index.parts.count <= 32)
        }
        #expect(index.count == 700)
        #expect(index.bytes < 8 * index.liveBytes)
        try index.apply(set: [], removed: Array(0..<700))
        #expect(index.count == 0 && index.bytes == 0 && index.liveWords == 0)
        #expect(try index.merged() == nil)
    }

    @Test func `the cheapest plan is chosen`() throws {
        var index = KeywordIndex()
        let filler = Array(String(repeating: "lorem ipsum dolor sit amet ", count: 20).utf8)
        try index.apply(set: (0..<2000).map { ($0, [], filler + Array("code\($0) end".utf8)) })
        func plan(_ pattern: String) throws -> KeywordPlan? {
            index.parts.first?.segment.search(Array(pattern.utf8)).plan
        }
        #expect(try plan("ode17") == .vocabulary)
        #expect(try plan("e") == .vocabulary)
        #expect(try plan("code17 e") == .candidates)
        #expect(try plan("lorem ipsum") == .scan)
        #expect(try plan("%") == .scan)
        #expect(try plan("absent thing") == .candidates)
        // Neither border is ever part of a text.
        #expect(
            index.matches(of: [0]).isEmpty && index.matches(of: [0x61, 1]).isEmpty && index.matches(of: []).isEmpty)
    }

    @Test func `a text with very many occurrences counts up to the bound`() throws {
        var index = KeywordIndex()
        var model = ReferenceKeywordIndex()
        for (ordinal, unit) in ["ab ", "xab", "ab", "% ", "a%", "ab-cd ", "\u{e9}"].enumerated() {
            let text = TextFolding.fold(String(repeating: unit, count: 300))
            model.documents[ordinal] = .init(title: ordinal == 2 ? text : [], text: text)
            try index.apply(set: [(ordinal, ordinal == 2 ? text : [], text)])
        }
        check(index, model, ["ab", "a", "b", "%", " ", "ab ", "b-c", "é", "aba"].map(TextFolding.fold))
    }
}

@Suite struct ByteCounts {
    @Test func `eight bytes at a time count as single ones do`() {
        var random = SeededGenerator(4)
        let bytes: [UInt8] = [0x20, 0x25, 0x2F, 0x30, 0x39, 0x3A, 0x60, 0x61, 0x7A, 0x7B, 0x7F, 0x80, 0xFF]
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 1...60, using: &random)).map { _ in bytes.randomElement(using: &random) ?? 0
            }
            let (byte, most) = (bytes.randomElement(using: &random) ?? 0, Int.random(in: 1...40, using: &random))
            let counted = text.withUnsafeBufferPointer { text in
                text.baseAddress.map { ByteCount.quarters(of: byte, after: $0, count: text.count - 1, most: most) }
            }
            let all = ReferenceKeywordIndex.quarters([byte], in: text) - (text[0] == byte ? 4 : 0)
            #expect(counted == min(most, all))
        }
    }
}

@Suite struct RowPlaces {
    @Test func `a copy keeps its places when the other changes`() {
        var places = RowLocations()
        for ordinal in 0..<5000 { places[ordinal] = .init(part: ordinal % 7, row: ordinal) }
        let copy = places
        places[3000] = nil
        places[4999] = .init(part: 1, row: 1)
        #expect(copy[3000] == .init(part: 3000 % 7, row: 3000))
        #expect(places[3000] == nil)
        #expect(places[4999] == .init(part: 1, row: 1))
        #expect(places[100_000] == nil && places[-1] == nil && places[0] == .init(part: 0, row: 0))
    }
}
