import Synchronization

/// The sentences that a command has written to standard error, so that each is written once.
final class PrintedSentences: Sendable {
    private let sentences = Mutex<Set<String>>([])

    /// Adds a sentence; false when it was there.
    func add(_ sentence: String) -> Bool { sentences.withLock { $0.insert(sentence).inserted } }
}
