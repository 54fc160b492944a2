/// The parts of dates in digits, as they are written.
package enum WrittenDate {
    /// The numbers between marks, of at most four digits each: `14.3.2026`, `2026-03-14`; nil when another text is between two
    /// marks.
    package static func numbers(_ text: String, between mark: Character) -> [Int]? {
        let parts = text.split(separator: mark, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.utf8.count <= 4 ? Int($0) : nil }
        return numbers.count == parts.count ? numbers : nil
    }
}
