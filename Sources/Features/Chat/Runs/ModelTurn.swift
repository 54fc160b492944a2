import Inference
import Tools

/// One turn of a model while it arrives: its text, and the calls that it makes in its own way or within its text.
struct ModelTurn {
    /// The text of the turn, without calls. Empty when no tool was offered: only a reply to calls repeats the text, and the
    /// run's log has it already.
    private(set) var text = ""
    /// The calls so far.
    var calls: [ToolCall] = []
    /// Tokens and times, as the provider tells.
    var usage: ChatUsage?
    /// How the turn ended; nil while it goes on.
    var end: ChatEnd?
    /// Holds back text that may be a call.
    private var finder: CallInText
    private let findsCalls: Bool

    /// Begins a turn.
    ///
    /// - Parameter toolNames: The names of the offered tools.
    init(toolNames: [String]) {
        finder = CallInText(toolNames: toolNames)
        findsCalls = !toolNames.isEmpty
    }

    /// Takes a piece of text. Returns what readers may see.
    mutating func push(_ piece: String) -> String {
        findsCalls ? take(finder.push(piece.utf8)) : piece
    }

    /// Ends the text. Returns what was held back and is no call.
    mutating func finish() -> String { findsCalls ? take(finder.finish()) : "" }

    private mutating func take(_ pieces: [CallInText.Piece]) -> String {
        var shown = ""
        for piece in pieces {
            switch piece {
            case .text(let text): shown += text
            case .calls(let found, _): calls += found
            }
        }
        text += shown
        return shown
    }
}
