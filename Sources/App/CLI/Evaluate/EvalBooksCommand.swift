import ArgumentParser
import Books
import Evaluation
import Foundation
import Gateway
import GatewayAPI
import Logging
import Retrieval
import Server
import Storage

/// `selene eval books DIR`: measures retrieval from books with known evidence.
struct EvalBooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "books",
        abstract: "Measure retrieval from books: evidence found, exact offsets, leaks, latency.",
        discussion: """
            DIR has books/NAME.EXT, questions.jsonl and, where books have marked units, sections.jsonl. The books are \
            imported into a library of their own with the gateway's own settings. Vectors come from Ollama and are \
            kept, so that a second run embeds nothing. Without Ollama it measures keywords and says so.

            Measured are the results that a search returns, before they grow to whole paragraphs. \
            hit@1, recall@5 and nDCG@10 count sections or pages; where the evidence is an exact quote, recall counts \
            its bytes, and precision@5 and IoU@5 are measured, too. A leak is a result that goes beyond the reading \
            position of its question. Exit code 2 means that a gate was missed or that something leaked.

              selene eval books sets/fairytale-val
              selene eval books sets/hound --keywords --json
              selene eval books sets/fairytale-val --gate 'library.ndcg@10>=0.72' --html report.html
            """)

    @Argument(help: "The folder of the set.")
    var set: String

    @Flag(help: "Measure keywords only, without Ollama.")
    var keywords = false

    @Option(help: "Embedding model (SELENE_EMBED_MODEL; default nomic-embed-text).")
    var model: String?

    @Option(help: "convex, convex:ALPHA, rrf, rrf:K or dbsf (default: that of books).")
    var fusion: String?

    @Option(help: "The keyword scorer: like, bm25 or both (default: that of books).")
    var scorer: KeywordScorer?

    @Flag(help: "Let the model of SELENE_RERANK_MODEL reorder the best passages (default: no).")
    var rerank = false

    @Option(help: "Folder of the imported books (default: ~/.cache/selene/eval).")
    var cache: String?

    @Option(help: "A required threshold, such as 'library.ndcg@10>=0.72'; hit@1 is p@1; may be repeated.")
    var gate: [String] = []

    @Option(help: "Write an HTML report with charts to this file.")
    var html: String?

    @Flag(help: "Print the figures as JSON.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        if let fusion, FusionMethod.parse(fusion) == nil {
            throw ValidationError("--fusion: expected convex, convex:ALPHA, rrf, rrf:K or dbsf, got \"\(fusion)\"")
        }
    }

    func run() async throws {
        try await EvaluationFailure.reported {
            let gates = try gate.map { try Gate(parsing: $0) }
            let questions = try BookQuestions(contentsOf: URL(filePath: set))
            var configuration = try options.load(["embed_model": model])
            if options.logLevel == nil { configuration.server.logLevel = .error }
            let environment = ProcessInfo.processInfo.environment
            let home =
                environment["XDG_CACHE_HOME"].map { URL(filePath: $0) }
                ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".cache")
            let folder = cache.map { URL(filePath: $0) } ?? home.appending(path: "selene/eval")
            configuration.databasePath = folder.appending(path: "\(questions.name)-books.sqlite").path
            configuration.books.folder = configuration.databasePath + ".books"
            var setting = BookEvaluation.Setting(usesVectors: !keywords)
            setting.fusion = fusion.flatMap(FusionMethod.parse)
            setting.scorer = scorer
            setting.reranks = rerank
            let figures = try await LocalBooks.run(configuration) { [setting] library in
                try await BookEvaluation(questions, library: library, setting: setting).figures()
            }
            try write(figures)
            let failures = gates.flatMap { $0.failures(in: figures.report) }
            for failure in failures { Terminal.note("selene: gate missed: \(failure.description)") }
            if figures.leaks > 0 { Terminal.note("selene: \(figures.leaks) results go beyond the reading position") }
            if !failures.isEmpty || figures.leaks > 0 { throw ExitCode(2) }
        }
    }

    private func write(_ figures: BookFigures) throws {
        if let html { try Data(figures.report.html().utf8).write(to: URL(filePath: html), options: .atomic) }
        if json { return Terminal.line(try JSONOutput.text(figures)) }
        Terminal.write(figures.report.textTable())
        Terminal.line("exact offsets \(figures.exact_offsets), leaks \(figures.leaks), source \(figures.source)")
        if let html { Terminal.line("report: \(html)") }
    }
}

/// The figures of a set, as JSON prints them.
struct BookFigures: Encodable, Sendable {
    var set: String
    var unit: BookQuestions.Unit
    var books: Int
    var passages: Int
    var questions: Int
    /// `hybrid` or `keyword`.
    var source: String
    var library: [String: Double]
    var within_book: [String: Double]
    /// The questions whose answer lies before their position, searched with that position.
    var at_position: [String: Double]?
    /// The share of the quoted evidence whose bytes equal the book's.
    var exact_offsets: Double
    var leaks: Int
    var latency_ms: LatencySummary?
    var notes: [String]
    var report: EvaluationReport

    enum CodingKeys: String, CodingKey {
        case set, unit, books, passages, questions, source, library, within_book, at_position, exact_offsets, leaks
        case latency_ms, notes
    }
}
