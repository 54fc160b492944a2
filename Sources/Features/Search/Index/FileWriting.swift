/// Decides when the file of an index is written again. Pure.
///
/// Writing copies the whole index. So a larger index waits for more changes, and the time spent on writing is bounded.
struct FileWriting: Sendable {
    /// The number of changes that a start applies without delay, whatever the size of the index.
    static let fewest = 1000
    /// The largest number of changes that a start has to apply: about a second of work.
    static let most = 10_000
    /// The pause in changes after which a file is written.
    static let quiet = Duration.seconds(5)
    /// The same when a quarter of the documents is not in the file.
    static let shortQuiet = Duration.seconds(1)
    /// Pauses between two writes are at least so many times as long as the last one took.
    static let rest = 20

    private var last: (end: ContinuousClock.Instant, duration: Duration)?

    /// Records a write.
    mutating func wrote(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) {
        last = (end, end - start)
    }

    /// Whether the next start would be slow without a new file.
    ///
    /// - Parameters:
    ///   - changes: The number of documents that the file lacks or has in another state.
    ///   - documents: The number of documents of the index.
    static func isWorthwhile(_ changes: Int, of documents: Int) -> Bool {
        changes >= min(most, max(fewest, documents / 1000))
    }

    /// Whether to write now.
    ///
    /// - Parameters:
    ///   - isDamaged: Whether the file cannot be used at a start: the number of changes does not count then.
    ///   - lastChange: When the index changed last.
    func isDue(
        _ changes: Int, of documents: Int, isDamaged: Bool, lastChange: ContinuousClock.Instant,
        now: ContinuousClock.Instant
    ) -> Bool {
        guard changes > 0, isDamaged || Self.isWorthwhile(changes, of: documents) else { return false }
        let isLarge = changes > documents / 4
        guard now - lastChange > (isLarge ? Self.shortQuiet : Self.quiet) else { return false }
        guard let last, !isDamaged, !isLarge else { return true }
        return now - last.end >= last.duration * Self.rest
    }
}
