#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// How the documents that hold a pattern were found. The result does not depend on the plan.
public enum KeywordPlan: String, Sendable, Hashable, CaseIterable {
    /// Searched the vocabulary and added up the postings of the matching entries; read no text.
    case vocabulary
    /// Used the vocabulary to choose candidate documents, then searched their texts.
    case candidates
    /// Searched all text.
    case scan
}

/// Costs of search steps in nanoseconds, roughly as measured on one core. Only their proportions matter.
enum KeywordCost {
    static let scannedByte = 0.15
    static let match = 15.0
    static let posting = 1.5
    static let rowOfArray = 0.1
    /// The setup of a search in one text.
    static let candidate = 150.0
    /// Postings take a little over two bytes each.
    static let bytesPerPosting = 2.2

    /// The cost of adding up postings into an array of rows.
    static func merging(_ postings: Int, rows: Int) -> Double {
        Double(postings) * posting + Double(rows) * rowOfArray
    }

    /// The cost of searching all text. If postings fall at random, their number gives a lower bound of the matching
    /// rows.
    static func scanning(_ bytes: Int, rows: Int, postings: Int) -> Double {
        let matching = Double(rows) * (1 - exp(-Double(postings) / Double(max(1, rows))))
        return Double(bytes) * scannedByte + matching * match
    }

    /// The cost of searching some texts one by one.
    static func verifying(_ candidates: Int, of rows: Int, bytes: Int) -> Double {
        Double(candidates) * (candidate + Double(bytes) / Double(max(1, rows)) * scannedByte)
    }
}
