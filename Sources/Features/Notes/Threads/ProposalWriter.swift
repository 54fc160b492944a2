import AssociationRoom
import Communities
import GatewayAPI
import Storage
import Text
import ThreadRoom

/// Writes the name, the summary and the reason of a proposal from its notes and their pairs, without a model.
struct ProposalWriter: Sendable {
    /// Notes of a part whose words make its name.
    private static let readNotes = 60

    let store: any GatewayStore
    let threads: [Int64: ThreadMembers]
    /// When each note was written that the API returns.
    let times: [Int64: Int64]

    /// The pairs within and between the parts of a candidate.
    fileprivate struct Evidence {
        /// For each note the sum of the cosines of its pairs within its part.
        var sums: [Int64: Double] = [:]
        var inside = 0
        var between = 0
        /// The sum of all cosines within parts.
        var total = 0.0
    }

    /// Returns a proposal that is not stored; nil when its pairs do not support it.
    ///
    /// - Throws: ``StorageError``, `CancellationError`.
    func proposal(_ candidate: ThreadCandidate, _ terms: DistinctiveTerms) async throws -> StoredThreadProposal? {
        let evidence = try await evidence(candidate)
        // Parts that many pairs join have not grown apart.
        if candidate.kind == .split, evidence.between * 5 > evidence.inside { return nil }
        let parts = candidate.parts.map { notes in
            notes.sorted { (evidence.sums[$1] ?? 0, $0) < (evidence.sums[$0] ?? 0, $1) }
        }
        let shown = parts.flatMap { $0.prefix(Self.readNotes) }
        let texts = try await store.threadGroups.texts(of: shown)
        let names = parts.map { notes in
            name(of: notes.prefix(Self.readNotes).compactMap { texts[$0] }, terms)
        }
        let thread = candidate.thread.flatMap { threads[$0] }
        var stored = parts.indices.map { StoredThreadProposal.Part(name: names[$0], notes: parts[$0]) }
        if let thread, !stored.isEmpty { stored[0].name = BriefingCards.short(thread.name) }
        return StoredThreadProposal(
            kind: ThreadProposal.Kind(rawValue: candidate.kind.rawValue) ?? .new, thread: candidate.thread,
            name: thread.map { BriefingCards.short($0.name) } ?? names[0],
            summary: summary(parts, stored.map(\.name), texts), why: why(candidate, evidence, thread), parts: stored)
    }

    private func evidence(_ candidate: ThreadCandidate) async throws -> Evidence {
        var part: [Int64: Int] = [:]
        for (number, notes) in candidate.parts.enumerated() { for note in notes { part[note] = number } }
        // Of notes that join a thread the pairs with the thread's notes count.
        var others: Set<Int64> = []
        if candidate.kind == .join, let thread = candidate.thread { others = Set(threads[thread]?.notes ?? []) }
        var found = Evidence()
        let read = Set(part.keys).union(others.sorted().prefix(5000)).sorted()
        try await store.associations.pairs(minSimilarity: NoteGrouping.minSimilarity, of: read) { pairs in
            for pair in pairs {
                switch (part[pair.first], part[pair.second]) {
                case (let one?, let other?) where one == other:
                    if candidate.kind == .join { continue }
                    found.count(pair, [pair.first, pair.second])
                case (.some, .some): found.between += 1
                case (.some, nil) where others.contains(pair.second): found.count(pair, [pair.first])
                case (nil, .some) where others.contains(pair.first): found.count(pair, [pair.second])
                default: continue
                }
            }
            return true
        }
        return found
    }

    private func name(of texts: [(title: String, text: String)], _ terms: DistinctiveTerms) -> String {
        var words = terms.terms(of: texts.map { $0.title + " " + $0.text })
        guard let first = words.first else { return BriefingCards.short(texts.first?.title ?? "") }
        words[0] = first.prefix(1).uppercased() + first.dropFirst()
        return words.joined(separator: ", ")
    }

    private func why(_ candidate: ThreadCandidate, _ evidence: Evidence, _ thread: ThreadMembers?) -> String {
        let notes = Count.of(candidate.notes.count, "note")
        let share = evidence.inside == 0 ? 0 : Int((evidence.total / Double(evidence.inside) * 100).rounded())
        switch candidate.kind {
        case .new:
            return "\(notes) are similar to each other (\(share) percent on average), and none is in a thread."
        case .join:
            return
                "\(notes) in no thread are similar to notes of \"\(BriefingCards.short(thread?.name ?? ""))\" (\(share) percent on average)."
        case .split:
            let sizes = BriefingCards.list(candidate.parts.map { String($0.count) })
            return
                "The thread has parts of \(sizes) notes. Within the parts \(Count.of(evidence.inside, "pair")) of notes are similar, between them \(evidence.between)."
        }
    }

    /// The days of the notes, and the most typical of each part.
    private func summary(
        _ parts: [[Int64]], _ names: [String], _ texts: [Int64: (title: String, text: String)]
    ) -> String {
        let days = parts.flatMap { $0 }.compactMap { times[$0] }.filter { $0 > 0 }
        var sentences: [String] = []
        if let first = days.min(), let last = days.max() {
            let (from, to) = (Timestamp.text(first).prefix(10), Timestamp.text(last).prefix(10))
            sentences.append(from == to ? "Notes of \(from)." : "Notes from \(from) to \(to).")
        }
        for (notes, name) in zip(parts, names) {
            let titles = notes.prefix(3).compactMap { texts[$0].map { "\"\(BriefingCards.short($0.title))\"" } }
            guard !titles.isEmpty else { continue }
            let typical = BriefingCards.list(titles)
            sentences.append(parts.count == 1 ? "Most typical: \(typical)." : "\(name): \(typical).")
        }
        return sentences.joined(separator: " ")
    }
}

extension ProposalWriter.Evidence {
    fileprivate mutating func count(_ pair: NotePair, _ notes: [Int64]) {
        inside += 1
        total += pair.similarity
        for note in notes { sums[note, default: 0] += pair.similarity }
    }
}
