#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Okapi BM25 of one term: idf · tf · (k₁ + 1) / (tf + k₁ · (1 − b + b · length / average length)), Robertson and
/// Zaragoza 2009.
///
/// Each row's share is computed with the same operations in the same order wherever the row lies, so that equal documents
/// have equal scores.
struct BM25: Sendable {
    /// k₁: how slowly further occurrences cease to count.
    var saturation: Float
    /// b: how much long documents are held back.
    var lengthInfluence: Float

    /// ln(1 + (N − n + ½) / (n + ½)), as in Lucene: positive for every term, unlike the original form.
    static func inverseDocumentFrequency(_ holders: Int, of documents: Int) -> Float {
        Float(log(1 + (Double(documents - holders) + 0.5) / (Double(holders) + 0.5)))
    }

    /// Adds a stem's shares.
    ///
    /// - Parameters:
    ///   - weight: The idf and what else the shares are multiplied with.
    ///   - average: Words of a document.
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

    /// Adds a pattern's shares, whose marks count quarters of occurrences.
    ///
    /// - Parameters:
    ///   - weight: The idf and what else the shares are multiplied with.
    ///   - average: Bytes of a document.
    ///   - titleBoost: What a share is multiplied with when the title has the pattern.
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
