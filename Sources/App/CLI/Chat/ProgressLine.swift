import GatewayAPI
import GatewayClient

/// One dim line on standard error that says what a run does, overwritten by the next one. Shown only on a terminal.
struct ProgressLine {
    private let isInteractive: Bool
    private var isShown = false

    init(isInteractive: Bool = Terminal.isInteractive) { self.isInteractive = isInteractive }

    mutating func show(_ words: String) {
        guard isInteractive else { return }
        isShown = true
        let text = SafeText(oneLine: String(words.prefix(max(1, Terminal.columns - 1))))
        Terminal.progress("\r\u{1B}[2K\(Terminal.dim(text))")
    }

    mutating func clear() {
        guard isShown else { return }
        isShown = false
        Terminal.progress("\r\u{1B}[2K")
    }

    /// What a run does now; nil while it writes and after its end.
    static func words(for answer: ChatAnswer, model: String) -> String? {
        let doing: String
        switch answer.state {
        case .queued: doing = "queued" + place(answer.progress.place)
        case .searching: doing = "searching notes"
        case .waiting: doing = "waiting for \(model)" + place(answer.progress.place)
        case .loadingModel: doing = "loading \(model)"
        case .thinking: doing = "thinking"
        case .tools:
            let names = answer.record.tools.filter { $0.state == .running }.map(\.name)
            doing = names.isEmpty ? "using tools" : "using " + names.joined(separator: ", ")
        case .answering, .done, .failed, .stopped, .interrupted: return nil
        }
        let count = answer.record.passages.count
        return (count > 0 ? "\(count) \(count == 1 ? "passage" : "passages") · " : "") + doing + " …"
    }

    private static func place(_ place: Int?) -> String {
        switch place {
        case nil: ""
        case 1?: ", next"
        case let place?: ", place \(place)"
        }
    }
}
