#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Okapi BM25 of one term: idf · tf · (k₁ + 1) / (tf + k₁ · (1 − b + b · length / average length)), Robertson and
/// Zaragoza 2009.
struct BM25: Sendable {
    /// k₁: how slowly repeated occurrences saturate.
    var saturation: Float
    /// b: how much long documents are penalised.
    var lengthInfluence: Float
    /// The part of an occurrence that one unit of a mark counts (``TermRows``).
    var unit: Float = 1
    /// Added to the term frequency when the title has the term.
    var titleOccurrences: Float = 0
    /// The factor of a score when the title has the term.
    var titleBoost: Float = 1

    /// ln(1 + (N − n + ½) / (n + ½)), as in Lucene. It is positive for every term, unlike the original formula.
    static func inverseDocumentFrequency(_ holders: Int, of documents: Int) -> Float {
        Float(log(1 + (Double(documents - holders) + 0.5) / (Double(holders) + 0.5)))
    }

    /// Returns the score of a term as a function of mark and norm.
    ///
    /// - Parameters:
    ///   - weight: The idf, times any other factor of the scores.
    ///   - average: The average document length.
    func curve(weight: Float, average: Float) -> Curve {
        Curve(
            scale: weight * (saturation + 1), base: saturation * (1 - lengthInfluence),
            slope: saturation * lengthInfluence / max(1, average), unit: unit, titleOccurrences: titleOccurrences,
            titleBoost: titleBoost)
    }

    /// The score of a term as a function of mark and norm. It grows with the mark and falls with the norm, which grows
    /// with the length.
    ///
    /// Each score is computed with the same operations in the same order. So equal documents have equal scores.
    struct Curve: Sendable {
        let scale: Float
        let base: Float
        let slope: Float
        let unit: Float
        let titleOccurrences: Float
        let titleBoost: Float

        /// k₁ · (1 − b + b · length / average length).
        @inline(__always)
        func norm(of length: Float) -> Float { base + slope * length }

        @inline(__always)
        func score(_ mark: UInt8, norm: Float) -> Float {
            let isInTitle = mark & KeywordSegment.titleFlag != 0
            let frequency = Float(Int32(mark & 0x7F)) * unit + (isInTitle ? titleOccurrences : 0)
            let share = scale * frequency / (frequency + norm)
            return isInTitle ? share * titleBoost : share
        }
    }
}
