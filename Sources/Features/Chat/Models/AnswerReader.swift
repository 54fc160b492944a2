import ChatRun
import GatewayAPI
import Inference

/// Reads the answer of a run for a client that stays until its end.
struct AnswerReader: Sendable {
    /// What comes next.
    enum Piece: Sendable {
        /// What the model thinks, before the first text.
        case thought(String)
        case text(String)
        /// The run, which has ended: with an answer, or with calls of the client's tools.
        case end(ChatRun, calls: [ChatCall])
    }

    private let service: ChatService
    private let id: String
    /// The run and the reader's number there; nil for a run that had ended before.
    private var live: (run: LiveRun, reader: UInt64)?
    private var thoughts = ""
    private var frames: ArraySlice<RunFrame> = []
    private var next: RunPosition?
    private var isComplete = false
    /// The answer that no run gave.
    private var whole: ChatRun?
    /// Bytes of the text that were read.
    private var offset = 0
    /// What an earlier answer had, before the calls with which it ended.
    let earlier: RunBeginning

    /// Reads the answer of a run that was begun or continued with ``RunClient/showsThoughts``.
    init(_ service: ChatService, _ begun: ChatService.Begun) async {
        (self.service, id) = (service, begun.run.id)
        earlier = begun.live?.earlier ?? RunBeginning()
        offset = earlier.bytes
        guard let run = begun.live else { return }
        let (reader, thoughts, read) = await run.attachAnswer()
        live = (run, reader)
        take(thoughts, read)
    }

    /// Reads an answer that no run gave.
    init(_ service: ChatService, text: String, of model: String) {
        (self.service, id, earlier) = (service, "", RunBeginning())
        var run = ChatRun(id: "", session: "", question: "", kind: "plain", model: model, state: .done, createdAt: "")
        run.text = text
        whole = run
    }

    private mutating func take(_ thoughts: String, _ read: RunRead) {
        self.thoughts = thoughts
        (frames, next, isComplete) = (read.frames[...], read.next, read.isComplete)
    }

    /// Waits for more of the answer, or for its end.
    ///
    /// - Throws: ``StorageError``.
    mutating func piece() async throws -> Piece {
        guard let live else {
            let run = if let whole { whole } else { try await service.find(id) }
            return rest(of: run.text ?? "", from: 0).map(Piece.text) ?? .end(run, calls: [])
        }
        while true {
            if !thoughts.isEmpty {
                defer { thoughts = "" }
                return .thought(thoughts)
            }
            while let frame = frames.popFirst() {
                switch frame {
                case .event: continue
                case .delta(let text, let start, _): if let text = rest(of: text, from: start) { return .text(text) }
                case .snapshot(let whole): if let text = rest(of: whole.text, from: 0) { return .text(text) }
                }
            }
            guard !isComplete, await live.run.has(live.reader), let next else {
                return .end(await live.run.snapshot, calls: await live.run.handedOver)
            }
            let (thoughts, read) = await live.run.readAnswer(live.reader, after: next)
            take(thoughts, read)
        }
    }

    /// The part of a text, which begins at an offset, that was not read before; nil for none.
    private mutating func rest(of text: String, from start: Int) -> String? {
        let (known, end) = (offset - start, start + text.utf8.count)
        guard known >= 0, end > offset else { return nil }
        offset = end
        return known == 0 ? text : String(decoding: text.utf8.dropFirst(known), as: UTF8.self)
    }

    /// Leaves the run.
    func close() async { await live?.run.detach(live?.reader ?? 0) }
}
