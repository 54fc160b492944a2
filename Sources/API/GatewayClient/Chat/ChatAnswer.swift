public import GatewayAPI

/// An answer as its reader knows it: what the events of a run add up to.
///
/// Events may repeat: the same events in the same order always give the same answer.
public struct ChatAnswer: Sendable, Hashable {
    /// The text so far.
    public private(set) var text = ""
    /// The last phase that was announced.
    public private(set) var progress = ChatRunEvent.Progress(state: .queued, progress: 0)
    /// Passages, tools, citations, sentences, the search and tokens so far. Only a whole run has the other fields.
    public private(set) var record = ChatRecord()
    /// The end; nil while the run goes on.
    public private(set) var end: ChatRunEvent.End?
    /// The id of the last event, from which another reader can go on.
    public private(set) var lastEventID: String?

    /// Creates an empty answer.
    public init() {}

    /// Creates the answer of a run that was read as a whole.
    public init(_ run: ChatRun) {
        text = run.text ?? ""
        record = run.record ?? ChatRecord()
        progress = .init(state: run.state, progress: run.progress, place: run.place)
        guard run.state.isFinal else { return }
        end = .init(
            state: run.state, isStored: true, message: run.message, error: run.error, stopReason: run.stopReason)
    }

    /// The phase or outcome.
    public var state: ChatRun.State { end?.state ?? progress.state }

    /// Applies an event.
    ///
    /// - Returns: false, with no change, for a delta that begins after the end of the text or within a character.
    ///   ``RemoteChatService/events(of:after:)`` never delivers one.
    @discardableResult
    public mutating func apply(_ event: ChatRunEvent) -> Bool {
        switch event.content {
        case .state(let progress): self.progress = progress
        case .search(let search): record.search = search
        case .passages(let passages): for passage in passages { add(passage) }
        case .tool(let use): add(use)
        case .delta(let delta): guard append(delta) else { return false }
        case .citation(let verdicts): add(verdicts)
        case .usage(let tokens): record.usage = tokens
        case .snapshot(let snapshot):
            self = ChatAnswer()
            text = snapshot.text
            for placed in snapshot.events { apply(placed.event) }
        case .done(let end), .failed(let end): self.end = end
        }
        if let id = event.id { lastEventID = id }
        return true
    }

    private mutating func append(_ delta: ChatRunEvent.Delta) -> Bool {
        let count = text.utf8.count
        guard (0...count).contains(delta.at) else { return false }
        if delta.at < count {
            let border = text.utf8.index(text.utf8.startIndex, offsetBy: delta.at)
            guard border.samePosition(in: text.unicodeScalars) != nil else { return false }
            text = String(text[..<border])
        }
        text += delta.text
        return true
    }

    private mutating func add(_ passage: ChatPassage) {
        if let known = record.passages.firstIndex(where: { $0.number == passage.number }) {
            record.passages[known] = passage
        } else {
            record.passages.append(passage)
        }
    }

    private mutating func add(_ use: ChatToolUse) {
        if let known = record.tools.firstIndex(where: { $0.id == use.id }) {
            record.tools[known] = use
        } else {
            record.tools.append(use)
        }
    }

    private mutating func add(_ verdicts: ChatRunEvent.Verdicts) {
        for citation in verdicts.citations {
            record.citations.removeAll { $0.marker == citation.marker && $0.number == citation.number }
            let place = record.citations.firstIndex { Self.precedes(citation.marker, $0.marker) }
            record.citations.insert(citation, at: place ?? record.citations.endIndex)
        }
        for sentence in verdicts.sentences {
            // A sentence that went on has other bytes than before.
            record.sentences.removeAll { $0.range == sentence.range || Self.overlap($0.range, sentence.range) }
            let place = record.sentences.firstIndex { Self.precedes(sentence.range, $0.range) }
            record.sentences.insert(sentence, at: place ?? record.sentences.endIndex)
        }
    }

    private static func precedes(_ range: [Int], _ other: [Int]) -> Bool {
        (range.first ?? 0) < (other.first ?? 0)
    }

    private static func overlap(_ range: [Int], _ other: [Int]) -> Bool {
        guard let start = range.first, let end = range.last, let otherStart = other.first, let otherEnd = other.last
        else { return false }
        return start < otherEnd && otherStart < end
    }
}
