import AssociationRoom
import Communities
import Storage
import ThreadRoom

/// Groups notes by their stored pairs, all of them or only around those that changed.
struct NoteGrouping: Sendable {
    /// The least cosine of a pair.
    static let minSimilarity = 0.7
    /// Notes around changed ones above which all notes are grouped anew.
    static let maxAround = 20_000

    let groups: ThreadGroupRoom
    let associations: AssociationRoom
    /// When each note was written that the API returns.
    let times: [Int64: Int64]

    /// Updates the stored groups. Returns all communities, each with its notes ascending, in the order of their smallest notes.
    ///
    /// - Parameter changed: The notes whose pairs have changed; nil for all.
    /// - Throws: ``StorageError``, `CancellationError`.
    func update(_ changed: Set<Int64>?, _ state: ThreadGroupState) async throws -> [[Int64]] {
        var state = state
        state.isGrouped = true
        let before = try await groups.groups()
        var region: Set<Int64>?
        if let changed { region = try await around(changed, before) }
        let pairs = try await pairs(region)
        let found = await Self.communities(pairs)
        var after = before
        if let region { for note in region { after[note] = nil } } else { after.removeAll() }
        for community in found { for note in community { after[note] = community[0] } }
        var changes: [Int64: Int64?] = [:]
        for (note, group) in after where before[note] != group { changes.updateValue(group, forKey: note) }
        for note in before.keys where after[note] == nil { changes.updateValue(nil, forKey: note) }
        try await groups.change(changes, state)
        return Dictionary(grouping: after.keys) { after[$0] ?? 0 }.values.map { $0.sorted() }.sorted {
            $0[0] < $1[0]
        }
    }

    /// The notes of all groups that changed notes are in or have pairs with, and the changed notes; nil when they are too
    /// many.
    private func around(_ changed: Set<Int64>, _ before: [Int64: Int64]) async throws -> Set<Int64>? {
        guard !changed.isEmpty else { return [] }
        guard changed.count <= Self.maxAround else { return nil }
        let near = try await associations.partners(of: changed.sorted(), minSimilarity: Self.minSimilarity)
        let touched = Set(changed.union(near).compactMap { before[$0] })
        var region = changed.union(near)
        for (note, group) in before where touched.contains(group) { region.insert(note) }
        return region.count <= Self.maxAround ? region : nil
    }

    private func pairs(_ region: Set<Int64>?) async throws -> [AlikePair] {
        var found: [AlikePair] = []
        guard region?.isEmpty != true else { return [] }
        try await associations.pairs(minSimilarity: Self.minSimilarity, of: region?.sorted()) { part in
            for pair in part where times[pair.first] != nil && times[pair.second] != nil {
                guard region?.contains(pair.second) != false else { continue }
                found.append(
                    AlikePair(
                        pair.first, pair.second,
                        weight: AlikePair.weight(cosine: pair.similarity, least: Self.minSimilarity)))
            }
            return found.count < PairGraph.maxPairs
        }
        return found
    }

    @concurrent
    private static func communities(_ pairs: [AlikePair]) async -> [[Int64]] {
        Communities().find(in: PairGraph(pairs))
    }
}
