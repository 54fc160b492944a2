/// Checks the citations of an answer against the numbered passages that it was given, without a model.
///
/// Each sentence is compared with the best window of neighbouring sentences in each passage: how much of its words the
/// window has, and whether numbers, dates, names, polarity and quotations agree. Time grows with the sentences of the
/// answer times those of the passages; ``CitationLimits`` bounds both.
package struct CitationCheck: Sendable {
    /// Tells how near a sentence is to a passage: the cosine of their vectors, or nil when it is not known. The first
    /// argument is the sentence's text, the second the passage's number.
    package typealias Similarity = (_ sentence: String, _ passage: Int) -> Float?

    private let index: PassageIndex
    /// By number: the passage.
    private let places: [Int: Int]
    /// By passage: finds its title and day in sentences.
    private let headings: [HeadingReader]

    /// The most passages whose titles and days are looked for in a sentence that does not cite them.
    private static let maxHeadingsElsewhere = 3

    /// - Parameters:
    ///   - passages: In the order of their numbers.
    ///   - numbers: By passage: the number that answers cite, each once; 1, 2, … when nil.
    ///   - headings: By passage: its title and day. A sentence may tell them without the passage's text.
    package init(passages: [String], numbers: [Int]? = nil, headings: [PassageHeading] = []) {
        let numbers = passages.indices.map { place in numbers.flatMap { $0[safe: place] } ?? place + 1 }
        index = PassageIndex(passages, citedAs: numbers)
        places = Dictionary(zip(numbers, numbers.indices)) { first, _ in first }
        self.headings = zip(passages, headings).map { HeadingReader($1, passage: $0) }
    }

    /// Checks each sentence of an answer. Headings are left out unless they cite.
    ///
    /// A sentence's verdict depends on the sentence and the passages alone.
    package func check(_ answer: String, similarity: Similarity? = nil) -> [CheckedSentence] {
        let text = ScalarText(answer, maxBytes: CitationLimits.maxAnswerBytes)
        return check(sentences(of: answer, in: text)[...], of: text, similarity)
    }

    /// Checks the sentences that are complete in an answer that is still being written, from a sentence on.
    ///
    /// - Parameters:
    ///   - answer: The answer so far. Each call has to begin with the text of the call before.
    ///   - first: What the call before returned as `next`; 0 for the first call.
    /// - Returns: The checked sentences, and the sentence to go on from. All calls together, with a last one that has
    ///   `isWhole` set, return what ``check(_:similarity:)`` returns for the whole answer.
    package func check(
        _ answer: String, from first: Int, isWhole: Bool, similarity: Similarity? = nil
    ) -> (checked: [CheckedSentence], next: Int) {
        let text = ScalarText(answer, maxBytes: CitationLimits.maxAnswerBytes)
        let sentences = sentences(of: answer, in: text)
        let complete = isWhole ? sentences.count : Sentence.completeCount(of: sentences, in: text)
        let start = min(max(0, first), sentences.count)
        let end = max(start, complete)
        return (check(sentences[start..<end], of: text, similarity), end)
    }

    private func sentences(of answer: String, in text: ScalarText) -> [Sentence] {
        Sentence.sentences(ofAnswer: answer, in: text).prefix(CitationLimits.maxSentences).map { sentence in
            var sentence = sentence
            // A bare number in parentheses that no passage has counts something.
            sentence.markers.removeAll { $0.isLoose && !$0.numbers.allSatisfy(isKnown) }
            return sentence
        }
    }

    private func check(_ sentences: ArraySlice<Sentence>, of text: ScalarText, _ similarity: Similarity?)
        -> [CheckedSentence]
    {
        var reader = Reader(text: text, index: index)
        return sentences.compactMap { sentence in
            guard !sentence.isHeading || !sentence.markers.isEmpty else { return nil }
            var claims = Claims(plain: reader.claim(sentence))
            if !headings.isEmpty {
                let range = reader.lastRange
                let lexemes = HeadingReader.lexemes(of: text, in: range, markers: reader.markers(of: sentence))
                let numbers = Set(sentence.markers.flatMap(\.numbers).filter(isKnown)).sorted()
                let own = numbers.flatMap { number in
                    places[number].flatMap { headings[safe: $0] }?.ranges(in: range, lexemes) ?? []
                }
                if !own.isEmpty { claims.own = reader.claim(sentence, without: own) }
                for (place, heading) in headings.enumerated() where !numbers.contains(index.citedAs[place]) {
                    guard claims.elsewhere.count < Self.maxHeadingsElsewhere else { break }
                    let told = heading.ranges(in: range, lexemes)
                    if !told.isEmpty { claims.elsewhere.append((place, reader.claim(sentence, without: told))) }
                }
            }
            let near = similarity.map { similarity in { similarity(reader.string(sentence), index.citedAs[$0]) } }
            return check(sentence, claims, reader.index, near)
        }
    }

    private func isKnown(_ number: Int) -> Bool { places[number] != nil }

    /// A sentence as it is compared with passages.
    private struct Claims {
        /// The whole sentence.
        var plain: Claim
        /// Without what tells titles and days of the cited passages; nil when it tells none.
        var own: Claim?
        /// By other passages whose title or day the sentence tells: the sentence without them.
        var elsewhere: [(passage: Int, claim: Claim)] = []

        init(plain: Claim) { self.plain = plain }
    }

    private func check(
        _ sentence: Sentence, _ claims: Claims, _ index: PassageIndex, _ similarity: ((Int) -> Float?)?
    ) -> CheckedSentence {
        let claim = claims.own ?? claims.plain
        let windows = Window.best(for: claim, in: index)
        let cited = sentence.markers.flatMap { marker in marker.numbers.map { (marker.range, $0) } }
        let known = Set(cited.map(\.1).filter(isKnown))
        let places = known.compactMap { self.places[$0] }.sorted()
        let own = places.prefix(CitationLimits.maxCited).compactMap { windows[$0] }
        // A sentence that tells no more than a cited note's title and day.
        let heading =
            claim.isEmpty && claims.own != nil ? places.first { index.spans[safe: $0]?.isEmpty == false } : nil
        let judged =
            heading.map { Judgement(supportedBy: $0, index) } ?? Judgement.best(claim, own, index, similarity)
        let other =
            judged.state == .supported
            ? nil
            : Self.support(claims.plain, windows, index, besides: places, similarity)
                ?? Self.support(claims.elsewhere, index, similarity)
        let verdict: CitationVerdict =
            if cited.isEmpty {
                .uncited(support: other.map { index.citedAs[$0.passage] })
            } else if known.isEmpty {
                .invented
            } else if judged.state == .supported {
                .supported
            } else if let other {
                .misattributed(to: index.citedAs[other.passage])
            } else {
                judged.state == .altered ? .altered : .unsupported
            }
        let evidence = (other.map { [$0.window] } ?? judged.windows).map {
            CitationEvidence(passage: index.citedAs[$0.passage], range: index.range($0))
        }
        return CheckedSentence(
            sentence: sentence, verdict: verdict,
            citations: cited.map {
                .init(marker: $0.0, number: $0.1, verdict: Self.verdict(on: $0.1, verdict, known, evidence))
            },
            evidence: evidence, score: other?.score ?? judged.score,
            differences: judged.state == .supported ? [] : judged.differences)
    }

    /// The verdict on one citation of a sentence. Beside a citation that supports the sentence, one that does not is no support.
    private static func verdict(
        on number: Int, _ verdict: CitationVerdict, _ known: Set<Int>, _ evidence: [CitationEvidence]
    ) -> CitationVerdict {
        guard known.contains(number) else { return .invented }
        guard verdict == .supported, !evidence.contains(where: { $0.passage == number }) else { return verdict }
        return .unsupported
    }

    /// The first passage that supports a sentence without its own title and day.
    private static func support(
        _ claims: [(passage: Int, claim: Claim)], _ index: PassageIndex, _ similarity: ((Int) -> Float?)?
    ) -> (passage: Int, window: Window, score: Float)? {
        for (passage, claim) in claims {
            guard let window = Window.best(for: claim, in: index)[passage] else { continue }
            let judged = Judgement(claim, [window], index, similarity: similarity?(passage), isCited: false)
            if judged.state == .supported { return (passage, window, judged.score) }
        }
        return nil
    }

    /// The passage that supports a claim best, of those that it does not cite.
    private static func support(
        _ claim: Claim, _ windows: [Int: Window], _ index: PassageIndex, besides cited: [Int],
        _ similarity: ((Int) -> Float?)?
    ) -> (passage: Int, window: Window, score: Float)? {
        var best: (passage: Int, window: Window, score: Float)?
        let least =
            CitationThresholds.calibrated.elsewhere - CitationThresholds.calibrated.similarity - claim.shareOfNames
        for (passage, window) in windows.sorted(by: { $0.key < $1.key })
        where !cited.contains(passage) && window.coverage >= least - 0.001 {
            let judged = Judgement(claim, [window], index, similarity: similarity?(passage), isCited: false)
            if judged.state == .supported, judged.score > best?.score ?? 0 { best = (passage, window, judged.score) }
        }
        return best
    }
}

extension Array {
    /// The element at an index; nil outside.
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

/// Reads the sentences of an answer as claims, from the first to the last.
private struct Reader {
    let text: ScalarText
    var index: PassageIndex
    /// The character that the last sentence ended at.
    private var place = 0
    /// The characters of the last sentence.
    private(set) var lastRange = 0..<0

    init(text: ScalarText, index: PassageIndex) {
        self.text = text
        self.index = index
    }

    mutating func claim(_ sentence: Sentence) -> Claim {
        lastRange = characters(sentence.range)
        return Claim(text, lastRange, markers: markers(of: sentence), index: &index)
    }

    /// The last sentence without some of its characters.
    mutating func claim(_ sentence: Sentence, without ranges: [Range<Int>]) -> Claim {
        Claim(text, lastRange, markers: markers(of: sentence), told: ranges, index: &index)
    }

    /// The characters of the last sentence's markers.
    func markers(of sentence: Sentence) -> [Range<Int>] {
        sentence.markers.map { marker in
            let start = character(marker.range.lowerBound, from: lastRange.lowerBound)
            return start..<character(marker.range.upperBound, from: start)
        }
    }

    func string(_ sentence: Sentence) -> String {
        let start = character(sentence.range.lowerBound, from: 0)
        return text.string(start..<character(sentence.range.upperBound, from: start))
    }

    private mutating func characters(_ bytes: Range<Int>) -> Range<Int> {
        let start = character(bytes.lowerBound, from: place)
        place = character(bytes.upperBound, from: start)
        return start..<place
    }

    /// The first character from an index on that begins at an offset or behind it.
    private func character(_ offset: Int, from index: Int) -> Int {
        var index = index
        while index < text.scalars.count, text.offsets[index] < offset { index += 1 }
        return index
    }
}
