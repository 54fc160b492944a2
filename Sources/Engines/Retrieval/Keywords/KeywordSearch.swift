/// A search of the keyword leg: what is wanted of which documents.
struct KeywordSearch: Sendable {
    let scoring: KeywordScoring
    let wanted: Int
    let terms: QueryTerms
    let scorer: KeywordScorer
    /// Whether a document must hold a term as a pattern.
    let needsPattern: Bool
    /// Whether to count all documents that are found, which takes longer.
    let countsAll: Bool
    /// Whether the leg keeps what it found, to score its documents again.
    let keepsFound: Bool
    let index: KeywordIndex
    /// The documents that may be found; nil means all of the catalog.
    let passed: Bitmap?
    let catalog: Catalog
    /// What is looked for, in the order in which scores are summed: the patterns in the query's order, then the stems
    /// in byte order. A fixed order, so that equal queries have equal scores.
    private(set) var seeks: [Seek]

    /// A pattern or a stem.
    struct Seek: Sendable {
        var isStem: Bool
        var folded: [UInt8]
        /// The factor of its idf; 0 when it only selects documents.
        var factor: Float
        /// The index of the query's term; nil for a stem.
        var term: Int?
        /// Whether it finds texts that the query does not spell out: words with other marks, parts of words. Such documents
        /// rank below all that hold a term as it is written.
        var isBeyond = false
        /// Whether a document that holds it meets a search that needs a pattern.
        var selects: Bool

        static func pattern(_ folded: [UInt8], factor: Float, term: Int?) -> Seek {
            Seek(isStem: false, folded: folded, factor: factor, term: term, selects: true)
        }

        static func stem(_ folded: [UInt8], factor: Float) -> Seek {
            Seek(isStem: true, folded: folded, factor: factor, selects: false)
        }

        static func beyond(_ folded: [UInt8], isStem: Bool, factor: Float, selects: Bool = true) -> Seek {
            Seek(isStem: isStem, folded: folded, factor: factor, isBeyond: true, selects: selects)
        }
    }

    init(
        scoring: KeywordScoring = KeywordScoring(), wanted: Int, terms: QueryTerms, scorer: KeywordScorer,
        needsPattern: Bool, countsAll: Bool = false, keepsFound: Bool = false, index: KeywordIndex, passed: Bitmap?,
        catalog: Catalog
    ) {
        self.scoring = scoring
        self.wanted = wanted
        self.terms = terms
        self.scorer = scorer
        self.needsPattern = needsPattern
        self.countsAll = countsAll
        self.keepsFound = keepsFound
        self.index = index
        self.passed = passed
        self.catalog = catalog
        seeks =
            wanted > 0 && index.count > 0
            ? Self.seeks(of: terms, scorer: scorer, needsPattern: needsPattern, scoring: scoring) : []
    }

    /// What to look for, in the order in which scores are summed.
    static func seeks(
        of terms: QueryTerms, scorer: KeywordScorer, needsPattern: Bool, scoring: KeywordScoring
    ) -> [Seek] {
        var (seeks, stems): ([Seek], [[UInt8]: Int]) = ([], [:])
        var (beyond, parts): ([[UInt8]: Int], [[UInt8]: Int]) = ([:], [:])
        var pairs: [[UInt8]: (repeats: Int, selects: Bool)] = [:]
        for (number, term) in terms.terms.enumerated() {
            let share: Float =
                term.isPattern || scorer == .like ? 1 : scorer == .both ? scoring.patternShare : 0
            if share > 0 || needsPattern {
                let factor = share * Float(term.repeats)
                seeks.append(.pattern(term.folded, factor: factor, term: number))
            }
            guard scorer != .like else { continue }
            for key in term.looseKeys { beyond[key, default: 0] += term.repeats }
            for part in term.parts.patterns { parts[part, default: 0] += term.repeats }
            // Where a pattern is needed, the pairs of a long word only stand for it.
            if needsPattern, !term.parts.allPairs.isEmpty {
                let selecting = Set(term.parts.pairs)
                for pair in term.parts.allPairs {
                    pairs[pair, default: (0, false)].repeats += term.repeats
                    if selecting.contains(pair) { pairs[pair]?.selects = true }
                }
            } else {
                for stem in term.stems { stems[stem, default: 0] += term.repeats }
            }
        }
        // What selects comes first.
        let found =
            Self.sorted(parts).prefix(QueryTerms.maxTerms).map { Seek.beyond($0, isStem: false, factor: Float($1)) }
            + Self.sorted(beyond.filter { stems[$0.key] == nil }).map {
                Seek.beyond($0, isStem: true, factor: Float($1))
            }
        let doubles = Self.sorted(pairs).map {
            Seek.beyond($0, isStem: true, factor: Float($1.repeats), selects: $1.selects)
        }
        let plain = Self.sorted(stems).map { Seek.stem($0, factor: Float($1)) }
        return needsPattern
            ? seeks + found + doubles.filter(\.selects) + plain + doubles.filter { !$0.selects } : seeks + plain + found
    }

    private static func sorted<Value>(_ table: [[UInt8]: Value]) -> [(key: [UInt8], value: Value)] {
        table.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }

    /// The weight of each seek in the scores of documents; nil for one without a part in the search.
    ///
    /// What goes beyond the query is scaled to stay below the least that a document can get for a term as it is written.
    ///
    /// - Parameters:
    ///   - holders: The number of documents that hold each seek.
    ///   - selects: Whether a document must hold a seek that selects.
    static func weights(of seeks: [Seek], holders: [Int], documents: Int, selects: Bool) -> [Float?] {
        let goesBeyond = seeks.indices.contains { seeks[$0].isBeyond && holders[$0] > 0 }
        var (least, most) = (Float.infinity, Float(0))
        var weights = seeks.indices.map { number -> Float? in
            let seek = seeks[number]
            guard holders[number] > 0, seek.factor > 0 || selects && seek.selects else { return nil }
            // A pattern that only selects gets a little, so that its documents rank above those beyond the query.
            let factor = seek.factor > 0 || !goesBeyond ? seek.factor : 1e-3
            let weight = factor * BM25.inverseDocumentFrequency(holders[number], of: max(documents, holders[number]))
            if seek.isBeyond { most = max(most, weight) } else if weight > 0 { least = min(least, weight) }
            return weight
        }
        guard least.isFinite, most > 0 else { return weights }
        for number in seeks.indices where seeks[number].isBeyond {
            weights[number] = weights[number].map { $0 / most * least * 1e-6 }
        }
        return weights
    }

    /// Searches on the calling thread.
    func run() -> KeywordLeg {
        let found = seeks.map(find)
        var best = KeywordBest(wanted)
        let threshold = SharedThreshold()
        let parts = prunedSearches(found)
        threshold.raise(to: firstThreshold(of: parts))
        for part in parts { part.search(0..<part.windows, into: &best, threshold: threshold) }
        return leg(of: best, found: found)
    }

    /// The rows of a pattern or stem in each part.
    func find(_ seek: Seek) -> [TermSearch] {
        index.parts.map { part in
            seek.isStem
                ? part.segment.search(stem: seek.folded, without: part.dead)
                : part.segment.search(seek.folded, without: part.dead)
        }
    }

    /// The searches of the parts.
    ///
    /// - Parameter found: The rows of each seek in each part.
    func prunedSearches(_ found: [[TermSearch]]) -> [PrunedSearch] {
        let selects = needsPattern && scorer != .like
        let conditions = PrunedSearch.Conditions(
            needsPattern: selects, countsAll: countsAll, passed: passed ?? catalog.isAlive,
            createdAt: catalog.createdAt, ids: catalog.ids)
        let words = Float(index.liveWords) / Float(max(1, index.count))
        let bytes = Float(index.liveBytes) / Float(max(1, index.count))
        var used: [(seek: Int, curve: BM25.Curve)] = []
        let weights = Self.weights(
            of: seeks, holders: found.map { $0.reduce(0) { $0 + $1.rows.count } }, documents: index.count,
            selects: selects)
        for (number, weight) in weights.enumerated() {
            guard let weight else { continue }
            let curve =
                seeks[number].isStem
                ? scoring.stems.curve(weight: weight, average: words)
                : scoring.patterns.curve(weight: weight, average: bytes)
            used.append((number, curve))
        }
        return index.parts.indices.map { part in
            PrunedSearch(
                used.map { (found[$0.seek][part].rows, seeks[$0.seek].isStem, seeks[$0.seek].selects, $0.curve) },
                in: index.parts[part],
                conditions: conditions)
        }
    }

    /// The threshold to begin with: that of the largest part.
    func firstThreshold(of parts: [PrunedSearch]) -> Float {
        let largest = parts.max { $0.windows < $1.windows }
        // Every score is wanted for the first window of a small part anyway.
        guard let largest, largest.windows > 1 else { return -.infinity }
        return largest.firstThreshold(wanted: wanted)
    }

    /// The leg with the best documents.
    func leg(of best: KeywordBest, found: [[TermSearch]]) -> KeywordLeg {
        let largest = index.parts.indices.max { index.parts[$0].liveBytes < index.parts[$1].liveBytes }
        var plans = [KeywordPlan?](repeating: nil, count: terms.terms.count)
        for (seek, parts) in zip(seeks, found) {
            if let term = seek.term, let largest { plans[term] = parts[largest].plan }
        }
        return KeywordLeg(
            hits: best.hits, matched: countsAll ? best.found : nil,
            bytesRead: found.reduce(0) { $0 + $1.reduce(0) { $0 + $1.bytesRead } }, plans: plans,
            found: keepsFound ? found : nil)
    }
}

// MARK: - Again

extension KeywordSearch {
    /// This search with more stems, and the rows of all its seeks. A stem that is a seek already gets the sum of both weights.
    ///
    /// - Parameter found: The rows of this search's seeks.
    func adding(
        _ words: [FeedbackWords.Chosen], to found: [[TermSearch]]
    ) -> (search: KeywordSearch, found: [[TermSearch]]) {
        var (search, found) = (self, found)
        var places: [[UInt8]: Int] = [:]
        for (number, seek) in seeks.enumerated() where seek.isStem && !seek.isBeyond { places[seek.folded] = number }
        for word in words.sorted(by: { $0.stem.lexicographicallyPrecedes($1.stem) }) {
            if let place = places[word.stem] {
                search.seeks[place].factor += Float(word.weight)
            } else {
                search.seeks.append(.stem(word.stem, factor: Float(word.weight)))
                found.append(word.found)
            }
        }
        return (search, found)
    }

    /// Scores some documents, which must be among those that may be found; best first, at most ``wanted``.
    func scores(of ordinals: [Int], found: [[TermSearch]]) -> [LegHit] {
        var best = KeywordBest(wanted)
        for (part, rows) in zip(prunedSearches(found), index.rows(of: ordinals)) where !rows.isEmpty {
            part.offer(rows, to: &best)
        }
        return best.hits
    }
}
