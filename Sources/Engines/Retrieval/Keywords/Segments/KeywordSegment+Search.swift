import CMemory
import Text

/// The rows that a segment found for a term, with the plan and the bytes read.
struct TermSearch {
    var rows = TermRows()
    var plan = KeywordPlan.vocabulary
    /// Bytes of vocabulary, postings and text that were read.
    var bytesRead = 0
}

extension KeywordSegment {
    /// Returns the rows whose title or text holds a folded pattern.
    ///
    /// - Parameters:
    ///   - forced: The plan to use when it fits the pattern. nil uses the cheapest by estimate.
    ///   - dead: Rows to leave out.
    func search(
        _ pattern: [UInt8], without dead: Bitmap? = nil, forcing forced: KeywordPlan? = nil
    ) -> TermSearch {
        // Texts hold neither separator byte.
        guard !pattern.isEmpty, !pattern.contains(where: { $0 <= TextFolding.titleEnd }) else { return TermSearch() }
        let runs = WordBytes.runs(in: pattern)
        if forced == .scan || runs.isEmpty { return scan(pattern, without: dead) }
        return runs[0].count == pattern.count
            ? searchVocabulary(pattern, without: dead, forcing: forced)
            : searchCandidates(pattern, runs, without: dead, forcing: forced)
    }

    /// Returns the rows that hold words with a stem, without some dead rows.
    func search(stem: [UInt8], without dead: Bitmap? = nil) -> TermSearch {
        let entries = entries(withStem: stem)
        guard !entries.isEmpty else { return TermSearch() }
        let bytes = entries.reduce(0) { $0 + postingBytes(of: $1.entry) }
        let rows = TermRows(of: entries, in: self, postings: bytes / 2, most: Self.maxTermFrequency, without: dead)
        return TermSearch(rows: rows, plan: .vocabulary, bytesRead: bytes)
    }

    // MARK: Plans

    /// Searches a pattern that lies within one run. Each occurrence in an entry counts once for every occurrence of the
    /// entry.
    private func searchVocabulary(
        _ pattern: [UInt8], without dead: Bitmap?, forcing forced: KeywordPlan?
    ) -> TermSearch {
        var entries: [(entry: Int, factor: Int)] = []
        let read = forEachOccurrence(of: pattern) { entry, place in
            let quarters = place == 0 ? 4 : 1
            if let last = entries.last, last.entry == entry {
                entries[entries.count - 1].factor += quarters
            } else {
                entries.append((entry, quarters))
            }
        }
        let bytes = entries.reduce(0) { $0 + postingBytes(of: $1.entry) }
        let postings = Int(Double(bytes) / KeywordCost.bytesPerPosting)
        if forced != .vocabulary,
            KeywordCost.merging(postings, rows: rows)
                > KeywordCost.scanning(textBytes, rows: rows, postings: postings)
        {
            return scan(pattern, without: dead, havingRead: read)
        }
        return TermSearch(
            rows: TermRows(
                of: entries, in: self, postings: bytes / 2, most: TermRows.maxQuarters, without: dead),
            plan: .vocabulary, bytesRead: read + bytes)
    }

    /// Calls the body with each entry that holds a pattern and the place in it, for each occurrence.
    ///
    /// - Parameter atEnd: Whether only occurrences at the ends of entries count.
    /// - Returns: The bytes of the vocabulary that were read, roughly.
    private func forEachOccurrence(
        of pattern: [UInt8], atEnd: Bool = false, _ body: (_ entry: Int, _ place: Int) -> Void
    ) -> Int {
        let anchored = atEnd ? pattern + [0] : pattern
        guard pattern.count > 2, let candidates = trigrams.table(of: vocabulary)?.candidates(for: pattern),
            candidates.count * 4 < vocabulary.count
        else {
            vocabulary.forEachOccurrence(of: anchored, body)
            return vocabulary.byteCount
        }
        vocabulary.forEachOccurrence(of: anchored, in: candidates, body)
        return candidates.count * (vocabulary.byteCount / max(1, vocabulary.count))
    }

    /// Searches a pattern that crosses borders of runs. Its first run is the end of an entry, its last run the start of
    /// one, and the runs between are whole entries. A first or last run with bytes before or after it in the pattern is
    /// a whole entry too.
    private func searchCandidates(
        _ pattern: [UInt8], _ runs: [Range<Int>], without dead: Bitmap?, forcing forced: KeywordPlan?
    ) -> TermSearch {
        var read = 0
        var parts: [(entries: [(entry: Int, factor: Int)], bytes: Int)] = []
        for run in runs {
            let bytes = Array(pattern[run])
            var entries: [(entry: Int, factor: Int)] = []
            if run.lowerBound == 0 {
                read += forEachOccurrence(of: bytes, atEnd: true) { entry, _ in entries.append((entry, 1)) }
            } else if run.upperBound == pattern.count {
                entries = vocabulary.range(withPrefix: bytes).map { ($0, 1) }
            } else if let entry = vocabulary.index(of: bytes) {
                entries = [(entry, 1)]
            }
            guard !entries.isEmpty else { return TermSearch(plan: .candidates, bytesRead: read) }
            parts.append((entries, entries.reduce(0) { $0 + postingBytes(of: $1.entry) }))
        }
        parts.sort { $0.bytes < $1.bytes }

        let rarest = parts[0]
        let postings = Int(Double(rarest.bytes) / KeywordCost.bytesPerPosting)
        var candidates = min(rows, postings)
        if forced != .candidates,
            KeywordCost.merging(postings, rows: rows)
                + KeywordCost.verifying(candidates, of: rows, bytes: textBytes)
                > KeywordCost.scanning(textBytes, rows: rows, postings: 0)
        {
            return scan(pattern, without: dead, havingRead: read)
        }
        func holders(_ part: (entries: [(entry: Int, factor: Int)], bytes: Int)) -> TermRows {
            read += part.bytes
            return TermRows(of: part.entries, in: self, postings: part.bytes / 2, most: 1, without: dead)
        }
        var chosen = holders(rarest)
        candidates = chosen.count
        for part in parts.dropFirst() {
            let merging = KeywordCost.merging(Int(Double(part.bytes) / KeywordCost.bytesPerPosting), rows: rows)
            // Only worth it when cheaper than searching half of the texts.
            guard merging * 2 < KeywordCost.verifying(candidates, of: rows, bytes: textBytes) else { break }
            let both = chosen.rows(alsoIn: holders(part))
            chosen = TermRows(both.map { TermRows.Entry(row: Int32($0), mark: 1) })
            candidates = both.count
        }
        var found: [TermRows.Entry] = []
        chosen.forEach { row, _ in
            read += textRange(row).count
            scan(pattern, rows: row..<row + 1, into: &found)
        }
        return TermSearch(rows: TermRows(found), plan: .candidates, bytesRead: read)
    }

    private func scan(_ pattern: [UInt8], without dead: Bitmap?, havingRead read: Int = 0) -> TermSearch {
        var found: [TermRows.Entry] = []
        scan(pattern, rows: 0..<rows, into: &found)
        if let dead { found.removeAll { dead[Int($0.row)] } }
        return TermSearch(rows: TermRows(found), plan: .scan, bytesRead: read + textBytes)
    }

    // MARK: Text

    /// Appends the rows of a range that hold a pattern. Leaves a row when further occurrences cannot change its mark.
    private func scan(_ pattern: [UInt8], rows range: Range<Int>, into found: inout [TermRows.Entry]) {
        guard !range.isEmpty else { return }
        unsafe pattern.withUnsafeBytes { pattern in
            guard let needle = pattern.baseAddress else { return }
            let length = pattern.count
            var position = textRange(range.lowerBound).lowerBound
            let end = textRange(range.upperBound - 1).upperBound
            var row = range.lowerBound
            var lastFound = -1
            while position + length <= end {
                guard let match = unsafe selene_find(text + position, end - position, needle, length) else { return }
                let place = unsafe match - UnsafeRawPointer(text)
                row = self.row(holding: place, from: row, below: range.upperBound)
                let rowRange = textRange(row)
                let beginsWord = unsafe place == rowRange.lowerBound || !WordBytes.contains(text[place - 1])
                let quarters: UInt8 = beginsWord ? 4 : 1
                if lastFound != row {
                    lastFound = row
                    let isInTitle = unsafe place < rowRange.lowerBound + Int(titleLengths[row])
                    found.append(.init(row: Int32(row), mark: isInTitle ? quarters | Self.titleFlag : quarters))
                    guard length == 1 else {
                        position = place + length
                        continue
                    }
                    // A single byte may be frequent: counting is faster than a search for each occurrence.
                    let rest = unsafe ByteCount.quarters(
                        of: needle.load(as: UInt8.self), after: text + place,
                        count: rowRange.upperBound - place - 1, most: TermRows.maxQuarters - Int(quarters))
                    found[found.count - 1].mark += UInt8(rest)
                    position = rowRange.upperBound
                    continue
                }
                let mark = found[found.count - 1].mark
                let sum = min(UInt8(TermRows.maxQuarters), mark & 0x7F + quarters)
                found[found.count - 1].mark = mark & Self.titleFlag | sum
                position = Int(sum) < TermRows.maxQuarters ? place + length : rowRange.upperBound
            }
        }
    }

    /// Returns the row that holds a place. Matches come in order, so it gallops from the last one.
    private func row(holding place: Int, from start: Int, below end: Int) -> Int {
        var low = start
        var step = 1
        while unsafe low + step < end && Int(starts[low + step]) <= place {
            low += step
            step *= 2
        }
        var high = min(low + step, end)
        while high - low > 1 {
            let middle = (low + high) / 2
            if unsafe Int(starts[middle]) <= place { low = middle } else { high = middle }
        }
        return low
    }
}
