#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Okapi BM25 of one term: idf · tf · (k₁ + 1) / (tf + k₁ · (1 − b + b · length / average length)), Robertson and
/// Zaragoza 2009.
///
/// Each row's score is computed with the same operations in the same order, wherever the row lies. So equal documents
/// have equal scores.
struct BM25: Sendable {
    /// k₁: how slowly repeated occurrences saturate.
    var saturation: Float
    /// b: how much long documents are penalised.
    var lengthInfluence: Float

    /// ln(1 + (N − n + ½) / (n + ½)), as in Lucene. It is positive for every term, unlike the original formula.
    static func inverseDocumentFrequency(_ holders: Int, of documents: Int) -> Float {
        Float(log(1 + (Double(documents - holders) + 0.5) / (Double(holders) + 0.5)))
    }

    /// Adds a stem's scores.
    ///
    /// - Parameters:
    ///   - weight: The idf, times any other factor of the scores.
    ///   - average: The average document length in words.
    ///   - titleOccurrences: Added to the term frequency when the title has the stem.
    ///   - scores: By row.
    func add(
        _ rows: TermRows, weight: Float, in segment: KeywordSegment, average: Float, titleOccurrences: Float,
        to scores: inout [Float]
    ) {
        let scale = weight * (saturation + 1)
        let (base, slope) = (saturation * (1 - lengthInfluence), saturation * lengthInfluence / max(1, average))
        unsafe scores.withUnsafeMutableBufferPointer { scores in
            rows.forEach { row, mark in
                let frequency = Float(mark & 0x7F) + (mark & 0x80 != 0 ? titleOccurrences : 0)
                let norm = unsafe base + slope * Float(Int32(truncatingIfNeeded: segment.wordCounts[row]))
                unsafe scores[row] += scale * frequency / (frequency + norm)
            }
        }
    }

    /// Adds a pattern's scores. Its marks count quarters of occurrences.
    ///
    /// - Parameters:
    ///   - weight: The idf, times any other factor of the scores.
    ///   - average: The average document length in bytes.
    ///   - titleBoost: The factor of a score when the title has the pattern.
    ///   - scores: By row.
    func add(
        _ rows: TermRows, weight: Float, in segment: KeywordSegment, average: Float, titleBoost: Float,
        to scores: inout [Float]
    ) {
        let scale = weight * (saturation + 1)
        let (base, slope) = (saturation * (1 - lengthInfluence), saturation * lengthInfluence / max(1, average))
        unsafe scores.withUnsafeMutableBufferPointer { scores in
            rows.forEach { row, mark in
                let frequency = Float(mark & 0x7F) * 0.25
                let bytes = unsafe Int32(truncatingIfNeeded: segment.starts[row + 1] - segment.starts[row])
                let share = scale * frequency / (frequency + base + slope * Float(bytes))
                unsafe scores[row] += mark & 0x80 != 0 ? share * titleBoost : share
            }
        }
    }
}
