import GatewayAPI
package import Server

/// The metrics of chats. Every label has a bounded number of values.
package final class ChatMetrics: Sendable {
    private let tools: Set<String>
    private let observer: RequestObserver?
    private let runs = MetricsFamily<MetricsCounter>(
        "selene_chat_runs_total", labels: ["kind", "state"], "Chat runs that ended, by kind and state.")
    private let firstToken = MetricsHistogram()
    private let total = MetricsHistogram()
    private let promptTokens = MetricsCounter()
    private let generatedTokens = MetricsCounter()
    private let calls = MetricsFamily<MetricsCounter>(
        "selene_chat_tool_calls_total", labels: ["tool", "outcome"], "Calls of tools by models, by outcome.")
    private let citations = MetricsFamily<MetricsCounter>(
        "selene_chat_citations_total", labels: ["verdict"], "Citations in answers, by what they are worth.")
    private let leftOut = MetricsFamily<MetricsCounter>(
        "selene_chat_left_out_total", labels: ["part"], "Messages, summaries and passages left out of prompts.")
    private let withheld = MetricsCounter()
    private let summaries = MetricsFamily<MetricsCounter>(
        "selene_chat_summaries_total", labels: ["outcome"], "Attempts to summarise old messages, by outcome.")

    private let prefills = MetricsFamily<MetricsCounter>(
        "selene_chat_prefills_total", labels: ["event"],
        "Prompts of opened conversations that were computed ahead: started, done, cancelled, failed; skipped: no need, or not allowed."
    )

    /// What happens to a prompt that is computed ahead.
    enum PrefillEvent: String {
        case started, done, cancelled, failed, skipped
    }

    /// Creates metrics without counts.
    ///
    /// - Parameters:
    ///   - tools: The names of all tools. Calls of others count as `unknown`.
    ///   - observer: Counts the tokens of chats with those of all other answers; nil for none.
    package init(tools: some Sequence<String>, observer: RequestObserver? = nil) {
        self.tools = Set(tools)
        self.observer = observer
    }

    /// A model has counted tokens of a request.
    func spent(prompt: Int, completion: Int) {
        promptTokens.add(prompt)
        generatedTokens.add(completion)
        observer?.spent(prompt: prompt, generated: completion)
    }

    /// A run has ended, or its process ends.
    func ended(_ run: EndedRun) {
        runs[run.kind, run.state].add()
        // An interrupted run is continued, and ends again.
        guard run.state != ChatRun.State.interrupted.rawValue else { return }
        let record = run.record
        if !run.isContinued, let time = record.timingsMilliseconds["first_token"] {
            firstToken.record(.milliseconds(time))
            observer?.answered(after: .milliseconds(time))
        }
        if let time = record.timingsMilliseconds["total"] { total.record(.milliseconds(time)) }
        for use in record.tools {
            calls[tools.contains(use.name) ? use.name : "unknown", use.state.rawValue].add()
        }
        for citation in record.citations { citations[citation.verdict.rawValue].add() }
        for part in record.leftOut { leftOut[part.part].add(part.count) }
        withheld.add(record.withheld.count)
    }

    /// An attempt to write a summary has ended.
    func compressed(_ outcome: CompressionOutcome) { summaries[outcome.rawValue].add() }

    /// A prompt is computed ahead, or was.
    func prefilled(_ event: PrefillEvent) { prefills[event.rawValue].add() }

    /// Writes all metrics.
    ///
    /// - Parameters:
    ///   - running: The runs in progress.
    ///   - readers: The clients that follow runs.
    func write(running: Int, readers: Int, to text: inout PrometheusText) {
        runs.write(to: &text)
        text.single("selene_chat_runs_in_progress", .gauge, "Chat runs that have not ended.", running)
        text.single("selene_chat_readers", .gauge, "Clients that follow chat runs.", readers)
        for (name, help, histogram) in [
            ("selene_chat_first_token_seconds", "From a run's start to the first text of its answer.", firstToken),
            ("selene_chat_run_seconds", "From a run's start to its end.", total),
        ] {
            text.family(name, .histogram, help)
            text.histogram(name, [], histogram.snapshot)
        }
        text.family("selene_chat_tokens_total", .counter, "Tokens of chat runs and summaries, as models counted them.")
        text.sample("selene_chat_tokens_total", [("kind", "prompt")], promptTokens.value)
        text.sample("selene_chat_tokens_total", [("kind", "generated")], generatedTokens.value)
        calls.write(to: &text)
        citations.write(to: &text)
        leftOut.write(to: &text)
        text.single(
            "selene_chat_withheld_total", .counter, "Private notes withheld from models on other machines.",
            withheld.value)
        summaries.write(to: &text)
        prefills.write(to: &text)
    }
}
