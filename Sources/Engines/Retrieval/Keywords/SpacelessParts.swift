/// Parts of a folded word that may stand for it where a script writes no spaces, or adds endings: a question in Chinese,
/// Japanese, Korean or Thai is one long word, which no note holds as it is written.
///
/// What they find goes beyond what is written, so it ranks below documents that hold the whole word.
struct SpacelessParts: Sendable, Equatable {
    /// The largest number of patterns of a word.
    static let maxPatterns = 24
    /// The characters of a pattern in scripts whose index words are not pairs.
    private static let patternCharacters = 4

    /// Pairs of ideographs, kana or syllables that may select documents: those that mean something.
    private(set) var pairs: [[UInt8]] = []
    /// All pairs of the word, when it has more than one.
    private(set) var allPairs: [[UInt8]] = []
    /// Parts that are looked for within words: of Thai, Lao, Khmer and Burmese.
    private(set) var patterns: [[UInt8]] = []

    init() {}

    /// - Parameter folded: A word of a query.
    init(_ folded: [UInt8]) {
        // None of these scripts begins with a lower byte.
        guard folded.count > 6, folded.contains(where: { $0 >= 0xE0 }) else { return }
        for run in WordBytes.runs(in: folded).map({ Array(folded[$0]) }) {
            for range in WordSplitter.words(in: run) {
                let word = Array(run[range])
                let scalars = Array(String(decoding: word, as: UTF8.self).unicodeScalars)
                if scalars.allSatisfy(WordSplitter.isIdeograph) {
                    if scalars.count == 2 { allPairs.append(word) }
                } else {
                    addPatterns(of: scalars)
                }
            }
        }
        if allPairs.count < 2 { allPairs = [] }
        pairs = allPairs.filter(Self.meansSomething)
    }

    private mutating func addPatterns(of scalars: [Unicode.Scalar]) {
        guard scalars.allSatisfy({ Self.isSpaceless($0) }) else { return }
        var pieces = [scalars[...]]
        for words in Self.questionWords {
            pieces = pieces.flatMap { Self.split($0, at: words) }
        }
        for piece in pieces where piece.count > 1 {
            let length = min(Self.patternCharacters, piece.count)
            for start in piece.startIndex...(piece.endIndex - length) where patterns.count < Self.maxPatterns {
                // A vowel or a tone belongs to the letter before it.
                guard !Self.isAttached(piece[start]) else { continue }
                var end = start + length
                while end < piece.endIndex, Self.isAttached(piece[end]) { end += 1 }
                let part = String(String.UnicodeScalarView(piece[start..<end]))
                if piece.count < scalars.count || end - start < scalars.count { patterns.append(Array(part.utf8)) }
            }
        }
    }

    /// Whether a word is of a script whose letters may have marks that are left out.
    static func hasMarks(_ word: [UInt8]) -> Bool {
        word.contains { $0 < 0x80 || (0xC2..<0xE0).contains($0) || $0 == 0xE1 }
    }

    private static func split(
        _ text: ArraySlice<Unicode.Scalar>, at word: [Unicode.Scalar]
    ) -> [ArraySlice<Unicode.Scalar>] {
        var (pieces, start, place) = ([ArraySlice<Unicode.Scalar>](), text.startIndex, text.startIndex)
        while place + word.count <= text.endIndex {
            if text[place..<place + word.count].elementsEqual(word) {
                pieces.append(text[start..<place])
                place += word.count
                start = place
            } else {
                place += 1
            }
        }
        pieces.append(text[start...])
        return pieces.filter { !$0.isEmpty }
    }

    /// Thai and Lao, Burmese, Khmer.
    private static func isSpaceless(_ scalar: Unicode.Scalar) -> Bool {
        (0xE00...0xEFF).contains(scalar.value) || (0x1000...0x109F).contains(scalar.value)
            || (0x1780...0x17FF).contains(scalar.value)
    }

    private static func isAttached(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark: true
        // Vowels that are written behind their letter.
        default: [0xE30, 0xE32, 0xE33, 0xEB0, 0xEB2, 0xEB3].contains(scalar.value)
        }
    }

    /// Whether a pair selects: pairs of hiragana are endings and particles, others are in most questions.
    private static func meansSomething(_ pair: [UInt8]) -> Bool {
        let text = String(decoding: pair, as: UTF8.self)
        return !text.unicodeScalars.allSatisfy { (0x3041...0x309F).contains($0.value) } && !stopPairs.contains(text)
    }

    private static let stopPairs: Set<String> = Set(
        """
        怎么 什么 为什 甚麼 什麼 怎麼 如何 哪里 哪裡 哪儿 哪些 哪个 哪個 多少 可以 我们 我們 你们 他们 是否 请问 請問 这个 這個 那个 那個 \
        一个 一個 没有 沒有 有没 有沒 是不 不是 么样 麼樣 么办 时候 時候 的是 了吗 了嗎 关于 關於 我的 你的 他的 是什 有什 做什 \
        何が 何を 何で 何の 何時 何処 誰が 誰の 私の 私は 事は \
        어디 언제 무엇 무슨 누가 누구 어떻 떻게 얼마 디에 제인 인가 가요 나요 까요 니까 습니 니다 했습 입니 있는 하는 에서 으로 에는 에게 하고 이다 \
        있나 있어 는지 은지
        """.split(whereSeparator: \.isWhitespace).map(String.init))

    /// Words of questions in Thai, longest first, which select nothing.
    private static let questionWords: [[Unicode.Scalar]] =
        """
        อยู่ที่ไหน เมื่อไหร่ เมื่อไร อย่างไร ที่ไหน ทำไม อะไรบ้าง อะไร ยังไง เท่าไร เท่าไหร่ ใคร ไหม หรือไม่ หรือเปล่า ครับ ค่ะ คะ \
        ຢູ່ໃສ ແນວໃດ ຫຍັງ
        """.split(whereSeparator: \.isWhitespace).map { Array($0.unicodeScalars) }.sorted { $0.count > $1.count }
}
