import Communities
import GatewayAPI
import Storage
import ThreadRoom

/// Compares communities with threads, and keeps the open proposals up to date.
struct ProposalFinder: Sendable {
    /// Notes whose words a name is compared with.
    private static let background = 1000
    /// The days in which a note makes a proposal more urgent.
    private static let recentDays: Int64 = 35

    let store: any GatewayStore
    /// When each note was written that the API returns.
    let times: [Int64: Int64]
    /// The end of the person's day, in seconds since 1970.
    let end: Int64

    /// Updates the open proposals. What a person has decided stays, and what was declined is not proposed again.
    ///
    /// - Returns: The number of open proposals, and of those that are new.
    /// - Throws: ``StorageError``, `CancellationError`.
    func update(
        _ communities: [[Int64]], _ threads: [ThreadMembers], now: Int64
    ) async throws -> (open: Int, new: Int) {
        let proposals = store.threadProposals
        let existing = threads.map { ExistingThread(id: $0.id, isActive: $0.isActive, notes: $0.notes) }
        let candidates = ranked(ThreadCandidates().find(communities: communities, threads: existing))
        let open = try await proposals.stored(.open)
        let known = ProposalTable(open)
        let refused = ProposalTable(try await proposals.stored(.declined))
        let writer = ProposalWriter(
            store: store, threads: Dictionary(threads.map { ($0.id, $0) }) { first, _ in first }, times: times)
        var kept: [StoredThreadProposal] = []
        var held: Set<Int64> = []
        var (count, new) = (0, 0)
        var terms: DistinctiveTerms?
        for candidate in candidates where count < ThreadProposalRoom.maxOpen {
            try Task.checkCancellation()
            guard refused.match(candidate) == nil else { continue }
            let old = known.match(candidate).flatMap { held.contains($0.id) ? nil : $0 }
            if let old, old.parts.map({ $0.notes.sorted() }) == candidate.parts.map({ $0.sorted() }) {
                held.insert(old.id)
                count += 1
                continue
            }
            if terms == nil { terms = try await backgroundTerms() }
            guard var proposal = try await writer.proposal(candidate, terms ?? DistinctiveTerms()) else { continue }
            if let old {
                proposal.id = old.id
                held.insert(old.id)
            } else {
                new += 1
            }
            kept.append(proposal)
            count += 1
        }
        try await proposals.update(kept, withdrawn: open.map(\.id).filter { !held.contains($0) }, now: now)
        return (count, new)
    }

    /// Candidates with recent notes first, then those with many.
    private func ranked(_ candidates: [ThreadCandidate]) -> [ThreadCandidate] {
        let start = end - Self.recentDays * 86_400
        let scored = candidates.enumerated().map { place, candidate in
            let notes = candidate.notes
            let recent = notes.filter { (times[$0] ?? 0) >= start }.count
            return (place, recent * 10 + notes.count, candidate)
        }
        return scored.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.map(\.2)
    }

    /// The words of notes at equal distances among all.
    private func backgroundTerms() async throws -> DistinctiveTerms {
        let ids = times.keys.sorted()
        let step = max(1, ids.count / Self.background)
        let chosen = stride(from: 0, to: ids.count, by: step).map { ids[$0] }
        var terms = DistinctiveTerms()
        for text in try await store.threadGroups.texts(of: chosen).values {
            terms.add(text.title + " " + text.text)
        }
        return terms
    }
}

/// Proposals by their notes.
private struct ProposalTable {
    private let proposals: [StoredThreadProposal]
    /// The proposals that each note is in.
    private var ofNote: [Int64: [Int]] = [:]

    init(_ proposals: [StoredThreadProposal]) {
        self.proposals = proposals
        for (place, proposal) in proposals.enumerated() {
            for note in proposal.parts.flatMap(\.notes) { ofNote[note, default: []].append(place) }
        }
    }

    /// The oldest proposal that proposes nearly the same.
    func match(_ candidate: ThreadCandidate) -> StoredThreadProposal? {
        let notes = candidate.notes
        let near = Set(notes.flatMap { ofNote[$0] ?? [] }).sorted()
        return near.lazy.map { proposals[$0] }.first {
            $0.kind.rawValue == candidate.kind.rawValue && $0.thread == candidate.thread
                && ThreadCandidate.isMostlySame($0.parts.flatMap(\.notes), notes)
        }
    }
}
