#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// How the documents that hold a pattern were found. The answer does not depend on it.
public enum KeywordPlan: String, Sendable, Hashable, CaseIterable {
    /// The vocabulary was searched and the postings of the entries with the pattern were added up; no text was read.
    case vocabulary
    /// The vocabulary named the documents that can hold the pattern, whose texts were searched.
    case candidates
    /// All text was searched.
    case scan
}

/// What the steps of a search cost, in nanoseconds, roughly as measured on one core: only their proportions matter.
enum KeywordCost {
    static let scannedByte = 0.15
    static let match = 15.0
    static let posting = 1.5
    static let rowOfArray = 0.1
    /// To set up the search of one text.
    static let candidate = 150.0
    /// Postings take a little over two bytes each.
    static let bytesPerPosting = 2.2

    /// Adding up postings into an array of rows.
    static func merging(_ postings: Int, rows: Int) -> Double {
        Double(postings) * posting + Double(rows) * rowOfArray
    }

    /// Searching all text, where postings tell how many rows match at least if they fall at random.
    static func scanning(_ bytes: Int, rows: Int, postings: Int) -> Double {
        let matching = Double(rows) * (1 - exp(-Double(postings) / Double(max(1, rows))))
        return Double(bytes) * scannedByte + matching * match
    }

    /// Searching some texts one by one.
    static func verifying(_ candidates: Int, of rows: Int, bytes: Int) -> Double {
        Double(candidates) * (candidate + Double(bytes) / Double(max(1, rows)) * scannedByte)
    }
}
