public import ArgumentParser
import Gateway
import GatewayAPI
import Logging
public import Retrieval
import Search
import Server

/// `selene search`: searches the notes without a server.
struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Find notes by meaning and by word.",
        discussion: """
            Without Ollama, or before the first backfill, it searches by keywords only and says so.

              selene search "why do I wake at night"
              selene search "50%" --mode keyword
              selene search "boat repairs" --type task --days 90 --explain
              selene search "who fixed the pump" --rerank
              selene search 'tag:garden -roses after:2026-01'

            The text may have the operators of `selene find`.
            """)

    @Argument(help: "The text to search for.")
    var query: String

    @Option(help: "The kind of search: hybrid, vector or keyword.")
    var mode: RetrievalMode = .hybrid

    @Option(help: "Maximum number of notes, 1 to 100.")
    var limit = 10

    @Option(name: .customLong("type"), help: "Only notes of this type; may be repeated.")
    var types: [String] = []

    @Option(help: "Only notes of this actionability; may be repeated.")
    var actionability: [String] = []

    @Option(help: "Only notes of the last N days.")
    var days: Double?

    @Option(help: "An exact phrase to search for; may be repeated.")
    var keyword: [String] = []

    @Option(help: "convex, convex:ALPHA, rrf, rrf:K or dbsf (SELENE_FUSION; default convex).")
    var fusion: String?

    @Option(help: "The keyword scorer: like, bm25 or both (default: both).")
    var scorer: KeywordScorer?

    @Option(help: "Only notes of this thread, by name or id; may be repeated.")
    var thread: [String] = []

    @Option(help: "Only notes with this tag; may be repeated.")
    var tag: [String] = []

    @Option(help: "Weight of recency, 0 to 1; the recency of a note halves every 30 days (default: 0).")
    var recency: Double?

    @Option(help: "Penalty for near-duplicate results (MMR), 0 to 1 (default: 0).")
    var diversity: Double?

    @Flag(help: "Scan every vector, even if a tuned first pass is enabled.")
    var exact = false

    @Flag(
        inversion: .prefixedNo,
        help: "Let the best notes of a first ranking rank all candidates again, in hybrid searches.")
    var feedback: Bool = true

    @Flag(
        inversion: .prefixedNo,
        help: "Let a model reorder the best notes (default: if SELENE_RERANK_MODEL is set).")
    var rerank: Bool?

    @Flag(help: "Show how each note was ranked.")
    var explain = false

    @Flag(help: "Print the JSON reply of the HTTP route.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let configuration = try options.load(["fusion": fusion])
        let request = RetrieveRequest(
            query: query, limit: limit, noteType: types.isEmpty ? nil : .init(types),
            actionability: actionability.isEmpty ? nil : .init(actionability),
            timeScope: days.map { .init(days: $0) }, keywords: keyword.isEmpty ? nil : .init(keyword),
            mode: RetrieveRequest.Mode(rawValue: mode.rawValue), explain: explain,
            thread: thread.isEmpty ? nil : .init(thread), tag: tag.isEmpty ? nil : .init(tag),
            scorer: scorer?.rawValue, recency: recency.map { .init(weight: $0) }, diversity: diversity,
            exact: exact ? true : nil, feedback: feedback ? nil : false, rerank: rerank.map { RerankOption(isOn: $0) },
            snippet: true)
        do {
            let query = try SearchQuery(request, defaultFusion: configuration.search.fusion)
            let json = json
            try await LocalSearch.run(configuration) { retrieval in
                let response = try await retrieval.search.retrieve(query)
                Terminal.line(json ? SafeText(try JSONOutput.text(response)) : ResultText.of(response))
                // Keeps a large new index for the next search; a failure to write it does not matter.
                try? await retrieval.index.writeIfWorthwhile()
            }
        } catch let error as GatewayError {
            throw ValidationError(error.message)
        } catch is CancellationError {
            throw Interrupt.exitCode
        } catch {
            throw Failure.exit(for: error)
        }
    }
}

extension RetrievalMode: ExpressibleByArgument {}

/// Formats search results for a person.
enum ResultText {
    static func of(_ response: RetrieveResponse) -> SafeText {
        var lines: [SafeText] = []
        if let reason = response.fallbackReason { lines.append(Terminal.dim("keywords only: \(reason)")) }
        if let reason = response.rerank?.reason { lines.append(Terminal.dim("not reranked: \(reason)")) }
        if response.results.isEmpty { lines.append("No notes found.") }
        for (index, result) in response.results.enumerated() {
            let note = result.note
            let about = [String(note.createdAt.prefix(10)), note.noteType ?? ""] + note.threads.map(\.name)
            lines.append(
                "\(index + 1). \(Terminal.bold(SafeText(oneLine: note.title)))  "
                    + Terminal.dim(SafeText(oneLine: about.filter { !$0.isEmpty }.joined(separator: " · "))))
            let place = ["#\(note.id)", note.externalId ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
            lines.append("   \(Terminal.dim(SafeText(oneLine: place)))")
            lines.append("   \(SafeText(oneLine: note.snippet ?? ""))")
            if let explanation = result.explanation {
                lines.append("   \(Terminal.dim(SafeText(text(explanation, score: result.score))))")
            }
        }
        if let summary = response.explanation {
            let total = response.timingsMilliseconds["total"] ?? 0
            let text =
                "\(response.source): \(summary.filterMatched) of \(summary.documents) notes, "
                + "\(summary.vectorCandidates) by meaning, \(summary.keywordCandidates) by word, "
                + "fusion \(summary.fusion), vectors \(summary.plan)"
                + (summary.measuredRecall.map { " (recall@10 \(rounded($0)))" } ?? "") + ", \(total) ms"
            lines.append(Terminal.dim(SafeText(text)))
            if let rerank = response.rerank, rerank.applied {
                let model = rerank.model ?? ""
                let withheld = rerank.withheld > 0 ? ", \(rerank.withheld) private notes not sent" : ""
                lines.append(
                    Terminal.dim(
                        SafeText(
                            oneLine: "reranked by \(model): \(rerank.scored) of \(rerank.candidates) notes\(withheld), "
                                + "\(rerank.milliseconds) ms")))
            }
            if let feedback = summary.feedback { lines.append(Terminal.dim(SafeText(oneLine: Self.text(feedback)))) }
        }
        return SafeText.lines(lines)
    }

    private static func text(_ feedback: FeedbackSummary) -> String {
        let words = feedback.words.map { "“\($0.text)” \(rounded($0.weight))" }
        return "feedback of \(feedback.notes.count) notes: meaning \(rounded(feedback.vectorWeight)), "
            + (words.isEmpty ? "no words" : "words " + words.joined(separator: " "))
    }

    private static func text(_ place: RerankedPlace) -> String {
        let score = place.score.map { ", score \(rounded($0))" } ?? ""
        return "  before reranking #\(place.rank)\(score)"
    }

    private static func text(_ explanation: HitExplanation, score: Double) -> String {
        func leg(_ name: String, _ leg: HitExplanation.Leg?) -> String {
            guard let leg else { return "\(name) –" }
            return "\(name) #\(leg.rank) (\(rounded(leg.score)) → \(rounded(leg.normalised)) × \(rounded(leg.weight)))"
        }
        let terms = explanation.matchedTerms.map { "“\($0)”" }.joined(separator: " ")
        return "score \(rounded(score)) = \(leg("meaning", explanation.vector)) + \(leg("words", explanation.keyword))"
            + (terms.isEmpty ? "" : "  \(terms)")
            + (explanation.firstRank.map { "  before feedback #\($0)" } ?? "")
            + (explanation.rerank.map(text) ?? "")
    }

    private static func rounded(_ value: Double) -> String { String((value * 1000).rounded() / 1000) }
}
