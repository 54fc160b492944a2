import Retrieval
import Synchronization

/// The whole vocabulary in the gateway's memory, so that questions need not ask the server for it, which is most of its work
/// for a question.
///
/// It is read once in the background, when ``keep(_:)`` asks for it; until then, and for a vocabulary beyond a size, the server is
/// asked. So a command with one question reads nothing. Then each question reads the runs that came since. Gateways insert runs one after another, in the order of their
/// numbers, so none appears later before a known one.
final class VocabularyIndex: Sendable {
    /// The runs that are read at once.
    private static let page: Int64 = 50_000
    /// More new runs than this are read in the background.
    private static let mostNew: Int64 = 5000

    private enum State {
        case unread
        case reading(Task<Void, Never>)
        case known(RunVocabulary)
        /// Too large.
        case off
    }

    private let state = Mutex(State.unread)
    private let isWanted = Atomic(false)
    private let mostBytes: Int

    /// - Parameter mostBytes: The largest vocabulary in bytes; its tables take several times as much. A million words of eight
    ///   letters have 8 MB.
    init(mostBytes: Int = 12 << 20) { self.mostBytes = mostBytes }

    /// Reads the vocabulary in the background, and again at a question after an error.
    func keep(_ store: PostgresStore) {
        isWanted.store(true, ordering: .relaxed)
        state.withLock { state in
            if case .unread = state { state = .reading(reading(store)) }
        }
    }

    /// The vocabulary with all runs up to a number; nil while it is not known.
    ///
    /// - Parameter last: The greatest number in the database when the question began.
    func current(upTo last: Int64, _ store: PostgresStore) async throws -> RunVocabulary? {
        let known = state.withLock { state -> RunVocabulary? in
            switch state {
            case .known(let known): return known
            case .unread:
                if isWanted.load(ordering: .relaxed) { state = .reading(reading(store)) }
                return nil
            case .reading, .off: return nil
            }
        }
        guard let known else { return nil }
        switch last - Int64(known.last) {
        case 0: return known
        case 1...Self.mostNew: return try await extended(upTo: last, after: known.last, store)
        case ..<0:
            // Another question knows later runs. Or an older copy of the database was put in its place.
            let now = try await store.rows("SELECT max(id) FROM vocabulary").integer(0, 0) ?? 0
            guard now < Int64(known.last) else { return known }
            store.vocabulary.removeAll()
            begin(after: nil, store)
            return nil
        default:
            begin(after: known, store)
            return nil
        }
    }

    private func extended(upTo last: Int64, after known: Int32, _ store: PostgresStore) async throws -> RunVocabulary? {
        let fresh = try await Self.runs(after: known, limit: Self.mostNew, store)
        return state.withLock { state in
            guard case .known(var now) = state else { return nil }
            // Another question may have appended them.
            now.append(fresh)
            state = now.byteCount > mostBytes ? .off : .known(now)
            return now
        }
    }

    private func begin(after known: RunVocabulary?, _ store: PostgresStore) {
        state.withLock { state in
            if case .known = state { state = .reading(reading(store, after: known ?? RunVocabulary())) }
        }
    }

    /// Waits until the vocabulary is known or turns out to be too large.
    func finishReading() async {
        guard case .reading(let task) = state.withLock({ $0 }) else { return }
        await task.value
    }

    private func reading(_ store: PostgresStore, after known: RunVocabulary = RunVocabulary()) -> Task<Void, Never> {
        Task { [mostBytes] in
            let read = try? await Self.read(after: known, upTo: mostBytes, store)
            state.withLock { state in
                // After an error the next question tries again.
                state = read.map { $0.byteCount > mostBytes ? .off : .known($0) } ?? .unread
            }
        }
    }

    @concurrent private static func read(
        after known: RunVocabulary, upTo mostBytes: Int, _ store: PostgresStore
    ) async throws -> RunVocabulary {
        var vocabulary = known
        while vocabulary.byteCount <= mostBytes {
            let runs = try await runs(after: vocabulary.last, limit: page, store)
            vocabulary.append(runs)
            if runs.count < page { break }
        }
        return vocabulary
    }

    private static func runs(
        after last: Int32, limit: Int64, _ store: PostgresStore
    ) async throws -> [RunVocabulary.Run] {
        let rows = try await store.rows(
            "SELECT id, run FROM vocabulary WHERE id > $1 ORDER BY id LIMIT $2",
            [.integer(Int64(last)), .integer(limit)])
        return rows.indices.compactMap { row in
            guard let id = rows.integer(row, 0), let text = rows.text(row, 1) else { return nil }
            return RunVocabulary.Run(id: Int32(truncatingIfNeeded: id), text: text)
        }
    }
}
