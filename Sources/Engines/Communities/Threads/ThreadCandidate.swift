/// A change of threads that a person may want.
package struct ThreadCandidate: Sendable, Hashable {
    /// What is proposed.
    package enum Kind: String, Sendable, CaseIterable {
        /// A new thread of notes that are in none.
        case new
        /// Notes that are in no thread belong to an existing one.
        case join
        /// A thread has grown apart; its parts become threads.
        case split
    }

    /// What is proposed.
    package var kind: Kind
    /// The existing thread of ``Kind/join`` and ``Kind/split``.
    package var thread: Int64?
    /// The notes: one list, or for ``Kind/split`` one for each part, the greatest first, which stays in the thread.
    package var parts: [[Int64]]

    package init(kind: Kind, thread: Int64? = nil, parts: [[Int64]]) {
        self.kind = kind
        self.thread = thread
        self.parts = parts
    }

    /// All notes, ascending.
    package var notes: [Int64] { parts.flatMap { $0 }.sorted() }

    /// Whether two lists of notes are mostly the same: more than half of all their notes are in both.
    package static func isMostlySame(_ one: [Int64], _ other: [Int64]) -> Bool {
        let first = Set(one)
        let second = Set(other)
        let both = first.intersection(second).count
        return both * 2 > first.count + second.count - both
    }
}

/// A thread that exists.
package struct ExistingThread: Sendable, Hashable {
    package var id: Int64
    /// Whether proposals may be about it.
    package var isActive: Bool
    /// The ids of its notes.
    package var notes: [Int64]

    package init(id: Int64, isActive: Bool, notes: [Int64]) {
        self.id = id
        self.isActive = isActive
        self.notes = notes
    }
}

/// Compares communities with the threads that exist.
package struct ThreadCandidates: Sendable {
    /// The fewest notes of a new thread, and of a part of a thread.
    package var leastNotes = 4
    /// The fewest notes that join a thread.
    package var leastJoining = 2
    /// The most notes of a proposal.
    package var mostNotes = 1000

    package init() {}

    /// Returns the candidates: joins, new threads and splits, each kind in the order of the smallest note or thread.
    ///
    /// A community belongs to the thread with which it shares most notes, if these are a quarter of the community or half of
    /// the thread. No candidate renames, empties or ends a thread.
    package func find(communities: [[Int64]], threads: [ExistingThread]) -> [ThreadCandidate] {
        var threadsOfNote: [Int64: [Int]] = [:]
        for (place, thread) in threads.enumerated() {
            for note in Set(thread.notes) { threadsOfNote[note, default: []].append(place) }
        }
        var joins: [ThreadCandidate] = []
        var new: [ThreadCandidate] = []
        for community in communities {
            var shared: [Int: Int] = [:]
            var free: [Int64] = []
            for note in community {
                let places = threadsOfNote[note] ?? []
                if places.isEmpty { free.append(note) }
                for place in places { shared[place, default: 0] += 1 }
            }
            free = Array(free.sorted().prefix(mostNotes))
            let home = shared.filter { entry in
                entry.value >= 2
                    && (entry.value * 4 >= community.count || entry.value * 2 >= threads[entry.key].notes.count)
            }.max { ($0.value, threads[$1.key].id) < ($1.value, threads[$0.key].id) }
            if let home {
                let thread = threads[home.key]
                guard thread.isActive, free.count >= leastJoining else { continue }
                joins.append(ThreadCandidate(kind: .join, thread: thread.id, parts: [free]))
            } else if free.count >= leastNotes {
                new.append(ThreadCandidate(kind: .new, parts: [free]))
            }
        }
        joins = merged(joins)
        joins.sort { ($0.thread ?? 0) < ($1.thread ?? 0) }
        new.sort { ($0.parts[0].first ?? 0) < ($1.parts[0].first ?? 0) }
        return joins + new + splits(communities, threads, threadsOfNote)
    }

    /// One join for each thread.
    private func merged(_ joins: [ThreadCandidate]) -> [ThreadCandidate] {
        var notes: [Int64: [Int64]] = [:]
        for join in joins { notes[join.thread ?? 0, default: []] += join.parts[0] }
        return notes.map { thread, notes in
            ThreadCandidate(kind: .join, thread: thread, parts: [Array(notes.sorted().prefix(mostNotes))])
        }
    }

    /// Threads whose notes are in two communities or more, each with enough of them.
    private func splits(
        _ communities: [[Int64]], _ threads: [ExistingThread], _ threadsOfNote: [Int64: [Int]]
    ) -> [ThreadCandidate] {
        var parts: [Int: [[Int64]]] = [:]
        for community in communities {
            var inThread: [Int: [Int64]] = [:]
            for note in community {
                for place in threadsOfNote[note] ?? [] { inThread[place, default: []].append(note) }
            }
            for (place, notes) in inThread where threads[place].isActive {
                let size = Set(threads[place].notes).count
                guard notes.count >= leastNotes, notes.count * 5 >= size else { continue }
                parts[place, default: []].append(notes.sorted())
            }
        }
        return parts.compactMap { place, found in
            guard found.count > 1 else { return nil }
            let ordered = found.sorted { ($1.count, $0.first ?? 0) < ($0.count, $1.first ?? 0) }
            return ThreadCandidate(
                kind: .split, thread: threads[place].id, parts: ordered.map { Array($0.prefix(mostNotes)) })
        }.sorted { ($0.thread ?? 0) < ($1.thread ?? 0) }
    }
}
