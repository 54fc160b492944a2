import Testing

@testable import Retrieval

/// What a search finds beyond the words as they are written, and that it ranks below them.
@Suite struct BeyondWhatIsWritten {
    /// The ids found by a query, best first.
    private func found(
        _ query: String, _ texts: [String], scorer: KeywordScorer = .both, mode: RetrievalMode = .keyword
    ) async throws -> [Int64] {
        var update = IndexUpdate()
        update.documents = texts.enumerated().map { number, text in
            RetrievalDocument(id: Int64(number + 1), title: "note", text: text, createdAt: Int64(number))
        }
        let index = HybridIndex(dimensions: nil)
        try index.apply(update)
        let hybrid = try await index.search(HybridQuery(text: query, mode: mode, limit: 20, scorer: scorer))
        // A database finds the same, in the same order.
        var question = HybridQuery(text: query, mode: mode, limit: 20, scorer: scorer)
        question.feedback = nil
        #expect(Self.remote(question, texts) == hybrid.hits.map(\.id), "\(query) \(scorer)")
        return hybrid.hits.map(\.id)
    }

    /// The ids that ``KeywordAnswer`` finds.
    private static func remote(_ query: HybridQuery, _ texts: [String]) -> [Int64] {
        let question = KeywordQuestion(query)
        let indexed = texts.map { IndexedText(title: "note", text: $0) }
        var numbers: [String: Int32] = [:]
        for run in indexed.flatMap(\.runs) where numbers[run.text] == nil {
            numbers[run.text] = Int32(numbers.count + 1)
        }
        var answer = KeywordAnswer(question, vocabulary: numbers.map { ($0.value, $0.key) })
        for (number, text) in indexed.enumerated() {
            var bytes: [UInt8] = []
            for run in text.runs {
                withUnsafeBytes(of: (numbers[run.text] ?? 0).littleEndian) { unsafe bytes += Array($0) }
                bytes.append(run.mark)
            }
            let document = KeywordAnswer.Document(
                id: Int64(number + 1), createdAt: Int64(number), words: text.words, bytes: text.bytes, passes: true)
            bytes.withUnsafeBytes { unsafe answer.add(document, runs: $0, folded: Array(text.folded.utf8)) }
        }
        let totals = KeywordAnswer.Totals(
            documents: texts.count, words: indexed.reduce(0) { $0 + $1.words },
            bytes: indexed.reduce(0) { $0 + $1.bytes })
        return answer.best(20, of: totals).hits.map(\.id)
    }

    @Test(arguments: [
        ("gutersloh", "Ein Tag in Gütersloh"), ("cafe", "Café crème"), ("café", "the cafe at the corner"),
        ("Tieng Viet", "Tiếng Việt"), ("елки", "ёлки"), ("Istanbul", "İstanbul"), ("كتاب", "كِتَاب"),
        ("123", "ＦＵＬＬＷＩＤＴＨ １２３"), ("Donaudampfschiff", "Donau\u{AD}dampf\u{AD}schiff"),
        ("Murphy's", "Dinner at Murphy’s"),
        ("smorrebrod", "Smørrebrød"), ("Lodz", "Łódź"), ("naive", "a naïve plan"),
        ("怎么做好财务护城河?", "本周要做好财务护城河的整理，止损为先。"), ("成语接龙怎么玩", "今天玩成语接龙游戏，很开心。"),
        ("会议室预算", "明天下午三点在会议室讨论预算问题"), ("ตลาดน้ำอยู่ที่ไหน", "วันนี้เรากินข้าวผัดกุ้งที่ตลาดน้ำ"),
        ("ประชุมพรุ่งนี้", "ประชุมเรื่องงบประมาณวันพรุ่งนี้"), ("회의록은 어디에", "회의록을 정리했습니다"),
        ("東京タワーはどこですか", "昨日、東京タワーに行った。"),
    ])
    func `words are found whatever their marks, and parts of words without spaces`(_ query: String, _ text: String)
        async throws
    {
        let others = ["quite another note", "昨日はとても寒かったです。", "อากาศดีมาก", "오늘은 날씨가 좋습니다", "天气很好"]
        for scorer in [KeywordScorer.both, .bm25] {
            #expect(try await found(query, others + [text], scorer: scorer) == [Int64(others.count + 1)], "\(scorer)")
        }
    }

    @Test(arguments: [
        ("cafe", "the cafeteria is closed, and so are the shops in the whole long street behind it", "café café café"),
        ("café", "a very long text about many things, one of which is a café, and about others", "cafe cafe"),
        ("gutersloh", "gutersloh and a lot of other words that make this note longer", "Gütersloh Gütersloh"),
        ("会议室预算", "这里写着会议室预算以及很多别的事情和更多的内容和文字", "会议室预 会议室 预算"),
        ("회의록은", "여기에 회의록은 없고 다른 많은 이야기가 있다", "회의록 회의록"),
    ])
    func `what is written ranks first`(_ query: String, _ exact: String, _ loose: String) async throws {
        for scorer in [KeywordScorer.both, .bm25] {
            // Also where nearly all notes hold the word as it is written.
            for exacts in [1, 8] {
                let texts = [loose] + Array(repeating: exact, count: exacts) + [loose]
                let ids = try await found(query, texts, scorer: scorer)
                #expect(Set(ids.prefix(exacts)) == Set((1...exacts).map { Int64($0 + 1) }), "\(scorer) \(ids)")
                #expect(ids.count == texts.count, "\(scorer)")
            }
        }
    }

    @Test func `the scorer like finds only what is written`() async throws {
        #expect(try await found("cafe", ["café", "cafe"], scorer: .like) == [2])
        #expect(try await found("会议室预算", ["会议室讨论预算", "会议室预算"], scorer: .like) == [2])
    }

    @Test func `words that are in every question select nothing`() async throws {
        #expect(try await found("怎么办呢", ["怎么会这样"]) == [])
        #expect(try await found("どこですか", ["これは本です"]) == [])
    }

    @Test func `spans show the words with other marks`() async throws {
        var update = IndexUpdate()
        update.documents = [RetrievalDocument(id: 1, title: "note", text: "Ein Tag in Gütersloh, im Café’s Hof")]
        let index = HybridIndex(dimensions: nil)
        try index.apply(update)
        let result = try await index.search(HybridQuery(text: "gutersloh Café's", mode: .keyword))
        let text = "Ein Tag in Gütersloh, im Café’s Hof"
        let shown = result.spans(in: text).map { String(decoding: Array(text.utf8)[$0.range], as: UTF8.self) }
        #expect(shown == ["Gütersloh", "Café’s"])
    }
}
