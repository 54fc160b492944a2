import Citations
import Tools

/// What the model has made: the turn that arrives, and its text as readers see it.
struct ModelOutput {
    /// Decides on the calls of tools, round by round.
    var tools: ToolCallReader
    /// The current turn.
    var turn = ModelTurn(toolNames: [])
    private var filter = CitationFilter()
    /// Whether the next text begins a new turn.
    private var separatesTurns = false

    /// Begins without tools.
    ///
    /// - Parameter text: The text before an interruption.
    init(after text: String) {
        tools = ToolCallReader(tools: .none)
        _ = filter.push(text.utf8)
    }

    /// Sets the tools of the run.
    mutating func offer(_ offered: ToolRegistry) { tools = ToolCallReader(tools: offered) }

    /// Begins a turn.
    ///
    /// - Parameters:
    ///   - toolNames: The names of the offered tools.
    ///   - hasText: Whether readers have text already, from which that of this turn is set apart.
    mutating func begin(toolNames: [String], hasText: Bool) {
        turn = ModelTurn(toolNames: toolNames)
        if hasText { separatesTurns = true }
    }

    /// Takes a piece of text. Returns what readers may see: neither calls nor what may become a citation.
    mutating func push(_ piece: String) -> String { shown(turn.push(piece)) }

    /// Ends the text of the turn. Returns what was held back and is no call.
    mutating func finishTurn() -> String { shown(turn.finish()) }

    /// Ends the text of the run. Returns what was held back and is no citation.
    mutating func finish() -> String { filter.finish().text }

    private mutating func shown(_ text: String) -> String {
        guard !text.isEmpty else { return "" }
        defer { separatesTurns = false }
        return filter.push((separatesTurns ? "\n\n" + text : text).utf8).text
    }
}
