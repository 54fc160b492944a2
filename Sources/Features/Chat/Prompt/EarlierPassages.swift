import ChatRoom
import GatewayAPI
import Prompts
import Storage
import Text

/// The passages that earlier questions of a conversation brought, and their numbers, which go on through the conversation.
///
/// So a passage has one number for the reader and for the model, whichever question finds it, and an earlier answer that cites a
/// number speaks of the passage that has it.
struct EarlierPassages: Sendable {
    /// The answers that are looked at: the latest, so many or up to twice as many, so that the first one changes seldom.
    private static let answers = 32

    /// By the question's message: what its search found, in the order of the prompt. Missing are passages that are not in their notes any
    /// more, and those of questions about other notes than this one's.
    private(set) var found: [Int64: [ChatPassage]] = [:]
    /// The lowest number that no passage has or had.
    private(set) var next = 1
    private var numbers: [Place: Int] = [:]
    private var places: [Int: Place] = [:]

    /// Where a passage stands, and what it says.
    private struct Place: Hashable {
        var note, book: Int64?
        var range: [Int]
        /// A hash: texts would stay in memory as long as the run.
        var text: Int

        init(_ passage: ChatPassage) {
            (note, book, range, text) = (passage.note, passage.book, passage.range, passage.text.hashValue)
        }
    }

    /// A conversation without any.
    init() {}

    /// Reads those of a conversation.
    ///
    /// - Parameters:
    ///   - history: The messages before the question, oldest first.
    ///   - options: The question's kind, and the notes that it may use.
    /// - Throws: ``StorageError``.
    init(of history: ArraySlice<Message>, for options: RunPlan.Options, in engine: ChatEngine) async throws {
        var asked: [(question: Int64, run: String)] = []
        for (message, before) in zip(history.dropFirst(), history) where before.role == "user" {
            if let run = message.run { asked.append((before.id, run)) }
        }
        asked.removeFirst(max(0, asked.count / Self.answers - 1) * Self.answers)
        let runs = try await engine.answers.passages(of: asked.map(\.run))
        for (question, run) in asked {
            guard let (request, passages) = runs[run] else { continue }
            add(
                passages, of: question,
                stays: options.chatKind.usesNotes && options.sharesNotes(with: RunPlan.Options(stored: request)))
        }
        try await removeChanged(engine)
    }

    /// - Parameter stays: Whether the passages may stay in the prompt.
    private mutating func add(_ passages: [ChatPassage], of question: Int64, stays: Bool) {
        let passages = passages.filter { $0.number > 0 && $0.number < ChatLimits.passageNumbers }
        // Of an older version, whose numbers began at 1 with each question: two passages must not have one number.
        let isOlder = passages.contains { passage in
            places[passage.number].map { $0 != Place(passage) } ?? false
        }
        if isOlder {
            (found, numbers, places) = ([:], [:], [:])
        }
        for passage in passages {
            let place = Place(passage)
            numbers[place] = numbers[place] ?? passage.number
            places[passage.number] = place
            next = max(next, passage.number + 1)
            if stays, passage.source == ChatPassage.search { found[question, default: []].append(passage) }
        }
    }

    /// Forgets the texts; the numbers stay.
    mutating func forgetTexts() { found = [:] }

    /// Leaves out passages of notes that are gone or say something else now: an answer must not stand on them.
    private mutating func removeChanged(_ engine: ChatEngine) async throws {
        let ids = Set(found.values.joined().compactMap(\.note))
        guard !ids.isEmpty else { return }
        let notes = Dictionary(
            try await engine.store.notes.find(ids: ids.sorted()).map { ($0.id, $0.content) }
        ) { first, _ in first }
        found = found.mapValues { passages in
            passages.filter { passage in
                guard let id = passage.note else { return true }
                guard let content = notes[id], let start = passage.range.first, let end = passage.range.last,
                    0 <= start, start <= end, end <= content.utf8.count
                else { return false }
                return UTF8Border.part(of: content, start..<end).text == passage.text
            }
        }
    }

    /// The number that a passage has in the conversation; nil for one that was not there yet.
    func number(of passage: ChatPassage) -> Int? {
        passage.number > 0 ? passage.number : numbers[Place(passage)]
    }
}
