import Evaluation
import GatewayAPI

extension AnswerSample {
    /// The figures of what came of a question.
    init(_ outcome: AnswerSeries.Outcome, refusal: RefusalDetector = RefusalDetector()) {
        let item = outcome.item
        guard let run = outcome.run else {
            self.init(subject: item.subject, model: item.options.model ?? "default", run: item.number)
            (isDone, error) = (false, outcome.error)
            return
        }
        self.init(run, subject: item.subject, number: item.number, refusal: refusal)
    }

    /// The figures of a run that has ended.
    init(_ run: ChatRun, subject: String, number: Int, refusal: RefusalDetector = RefusalDetector()) {
        self.init(subject: subject, model: run.model, run: number)
        isDone = run.state == .done || (run.state == .stopped && run.stopReason == "length")
        error = isDone ? nil : run.error ?? run.state.rawValue
        let (record, text) = (run.record ?? ChatRecord(), run.text ?? "")
        firstTokenMilliseconds = record.timingsMilliseconds["first_token"]
        totalMilliseconds = record.timingsMilliseconds["total"]
        promptTokens = record.usage?.promptTokens
        completionTokens = record.usage?.completionTokens
        passages = record.passages.count
        let claiming = record.sentences.filter { sentence in
            guard sentence.verdict == .uncited, sentence.support == nil else { return true }
            let part = text.part(sentence.range) ?? ""
            return part.utf8.count >= AnswerReport.claimBytes && !refusal.isIn(String(part))
        }
        claims = claiming.count
        supported = claiming.count { $0.verdict == .supported }
        if let judgement = record.judgement { (judged, withdrawn) = (judgement.asked, judgement.withdrawn) }
        // A citation that the gateway added has no marker in the text.
        let written = record.citations.filter { $0.marker.first != $0.marker.last }
        citations = written.count
        invented = written.count { $0.verdict == .invented }
        toolCalls = record.tools.count
        validCalls = record.tools.count { $0.state != .refused }
        isRefusal = supported == 0 && refusal.isIn(text)
    }

    /// The figures in a line.
    var line: String {
        var parts: [String] = []
        if let first = firstTokenMilliseconds { parts.append("first token \(Int(first)) ms") }
        if let speed = tokensPerSecond { parts.append("\(Int(speed)) tokens/s") }
        if let tokens = completionTokens { parts.append("\(tokens) tokens") }
        if passages > 0, claims > 0 { parts.append("\(supported) of \(claims) claims supported") }
        if invented > 0 { parts.append("\(invented) invented") }
        if toolCalls > 0 { parts.append("\(toolCalls) tool \(toolCalls == 1 ? "call" : "calls")") }
        return parts.joined(separator: " · ")
    }
}
