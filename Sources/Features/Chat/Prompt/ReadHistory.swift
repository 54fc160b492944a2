import BookRoom
import ChatRoom
import Database
import GatewayAPI
import Storage

/// The part of a conversation about books that the reader has caught up with.
enum ReadHistory {
    /// Leaves out answers that were given when the reader was further on, each with its question.
    ///
    /// - Parameter messages: Oldest first.
    /// - Throws: ``StorageError``.
    static func of(_ messages: ArraySlice<Message>, in engine: ChatEngine) async throws -> ArraySlice<Message> {
        var positions: [Int64: Int] = [:]
        var kept: [Message] = []
        for message in messages {
            if message.role == "assistant", let id = message.run, let run = try await engine.answers.find(id) {
                var isAhead = false
                for passage in run.record.passages {
                    guard let book = passage.book, let end = passage.range.last else { continue }
                    // A book that is gone has no position: nothing of it is shown.
                    let known = positions[book]
                    let position = if let known { known } else { try await position(of: book, engine.books) }
                    positions[book] = position
                    isAhead = isAhead || end > position
                }
                if isAhead {
                    if kept.last?.role == "user" { kept.removeLast() }
                    continue
                }
            }
            kept.append(message)
        }
        return kept[...]
    }

    private static func position(of book: Int64, _ books: BookRoom) async throws -> Int {
        do {
            return try await books.find(book).position?.offset ?? .max
        } catch let error as StorageError where error.code == .notFound {
            return 0
        }
    }
}
