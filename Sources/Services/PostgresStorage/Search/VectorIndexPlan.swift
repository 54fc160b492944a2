import Storage

/// How a space's vectors are searched in the database.
package struct VectorIndexPlan: Sendable, Hashable {
    /// pgvector's kinds of indexes.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case hnsw, ivfflat
    }

    /// The numbers that an index holds.
    package enum Elements: String, Sendable, Hashable, CaseIterable {
        /// 16 bits each; the best candidates are compared in 32 bits again.
        case halfvec
        /// 32 bits each.
        case vector

        /// The most dimensions that pgvector can index.
        package var maxDimensions: Int { self == .halfvec ? 4000 : 2000 }

        /// The bytes of one number.
        var bytes: Int { self == .halfvec ? 2 : 4 }
    }

    /// The index that tuning builds.
    package struct Choice: Sendable, Hashable {
        package var kind: Kind
        package var elements: Elements

        package init(_ kind: Kind = .hnsw, _ elements: Elements = .halfvec) {
            self.kind = kind
            self.elements = elements
        }
    }

    /// The lowest recall@10 with which an index may answer.
    package static let leastRecall = 0.99

    package var kind: Kind
    /// `hnsw.ef_search`, or `ivfflat.probes`.
    package var search: Int
    /// The share of the ten nearest of an exact scan that were found.
    package var recall: Double

    static func name(of space: SpaceID) -> String { "vectors_of_space_\(space)" }

    /// The expression of an index, which queries must repeat.
    static func expression(_ elements: Elements, _ dimensions: Int) -> String {
        "(embedding::\(elements.rawValue)(\(dimensions)))"
    }

    /// The settings to try, the fastest first.
    static func searches(_ kind: Kind) -> [Int] {
        kind == .hnsw ? [40, 80, 160, 320, 640, 1000] : [4, 8, 16, 32, 64, 128, 256]
    }
}
