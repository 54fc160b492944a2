import BookRoom
import Books
import Evaluation
import Foundation
import GatewayAPI
import Retrieval
import Storage

/// Imports the books of a set and asks its questions.
struct BookEvaluation: Sendable {
    /// How to search.
    struct Setting: Sendable {
        var usesVectors: Bool
        var fusion: FusionMethod?
        var scorer: KeywordScorer?
        var reranks = false
    }

    /// Results that are asked for: enough for ten distinct units.
    private static let depth = 20

    let questions: BookQuestions
    let library: BookLibrary
    let setting: Setting

    init(_ questions: BookQuestions, library: BookLibrary, setting: Setting) {
        self.questions = questions
        self.library = library
        self.setting = setting
    }

    /// - Throws: `EvaluationError`, ``StorageError``, `CancellationError`.
    func figures() async throws -> BookFigures {
        var notes: [String] = []
        var books: [String: Book] = [:]
        for (name, file) in questions.files.sorted(by: { $0.key < $1.key }) {
            books[name] = try await imported(file, &notes)
        }
        let names = Dictionary(books.map { ($1.id, $0) }) { first, _ in first }
        var sums: [String: [BookMeasures]] = [:]
        var times: [Double] = []
        var source = "keyword"
        var leaks = 0
        var (unranked, reason) = (0, String?.none)
        var bar = ProgressBar("questions", unit: "questions")
        for (number, question) in questions.questions.enumerated() {
            guard let book = books[question.book] else { continue }
            for scope in ["library", "within_book"] {
                let started = ContinuousClock.now
                let found = try await retrieve(question.text, scope == "library" ? nil : [book.id])
                times.append((ContinuousClock.now - started) / .milliseconds(1))
                if found.source == "hybrid" { source = "hybrid" }
                if let report = found.rerank, !report.applied { (unranked, reason) = (unranked + 1, report.reason) }
                sums[scope, default: []].append(
                    BookMeasures(Self.parts(found, names), of: question, in: questions))
            }
            if let position = try await position(of: question, in: book) {
                _ = try await library.positions.set(.offset(position), of: book.id)
                let found = try await retrieve(question.text, [book.id])
                leaks += found.results.count { $0.end > position }
                let ahead = question.evidence.compactMap(\.text).filter { text in
                    question.isAhead && found.results.contains { $0.text.contains(text) }
                }
                leaks += ahead.count
                if !question.isAhead {
                    sums["at_position", default: []].append(
                        BookMeasures(Self.parts(found, names), of: question, in: questions))
                }
                _ = try await library.positions.clear(book.id)
            }
            bar.update(done: number + 1, total: questions.questions.count)
        }
        bar.finish()
        let exact = try await exactOffsets(books)
        if let reason { notes.append("\(unranked) searches kept their order without the reranker: \(reason)") }
        if source == "keyword" { notes.append("keywords only: no vector was used") }
        return figures(sums, exact: exact, leaks: leaks, times: times, source: source, books: books, notes: notes)
    }

    private func figures(
        _ sums: [String: [BookMeasures]], exact: Double, leaks: Int, times: [Double], source: String,
        books: [String: Book], notes: [String]
    ) -> BookFigures {
        let means = sums.mapValues { BookMeasures(meanOf: $0) }
        let latency = LatencySummary(times)
        let modes = ["library", "within_book", "at_position"].compactMap { scope in
            means[scope].map { mean in
                EvaluationReport.Mode(mode: scope, metrics: metrics(mean), latency: scope == "library" ? latency : nil)
            }
        }
        let report = EvaluationReport(
            collection: questions.name, documents: books.count, queries: questions.questions.count, modes: modes,
            notes: notes.isEmpty ? nil : notes)
        return BookFigures(
            set: questions.name, unit: questions.unit, books: books.count,
            passages: books.values.reduce(0) { $0 + $1.passages }, questions: questions.questions.count, source: source,
            library: values(means["library"]), within_book: values(means["within_book"]),
            at_position: means["at_position"].map { values($0) }, exact_offsets: exact, leaks: leaks,
            latency_ms: latency, notes: notes, report: report)
    }

    private func metrics(_ mean: BookMeasures) -> [Metric: Double] {
        var metrics: [Metric: Double] = [
            .precision(1): mean.hitAt1, .recall(5): mean.recallAt5, .ndcg(10): mean.ndcgAt10,
        ]
        if questions.unit == .span { metrics[.precision(5)] = mean.precisionAt5 }
        return metrics
    }

    private func values(_ mean: BookMeasures?) -> [String: Double] {
        let mean = mean ?? BookMeasures()
        var values = ["hit@1": mean.hitAt1, "recall@5": mean.recallAt5, "ndcg@10": mean.ndcgAt10]
        if questions.unit == .span {
            values["precision@5"] = mean.precisionAt5
            values["iou@5"] = mean.iouAt5
        }
        return values.mapValues { ($0 * 10_000).rounded() / 10_000 }
    }

    /// Imports a file, or finds it among the books of an earlier run.
    private func imported(_ file: URL, _ notes: inout [String]) async throws -> Book {
        let added = try await LocalBooks.add(file, to: library, isPrivate: false)
        var book = added.book
        if book.state != .ready || setting.usesVectors {
            do {
                book = try await library.imports.run(book.id, account: nil, waits: false) { _ in }
            } catch let error where !(error is CancellationError || error is StorageError) {
                book = try await library.store.find(book.id)
                if notes.isEmpty, setting.usesVectors { notes.append("no vectors: \(error)") }
            }
        }
        if let error = book.error { throw EvaluationError("\(file.path): \(error.error)") }
        return book
    }

    private func retrieve(_ text: String, _ books: [Int64]?) async throws -> BookRetrieveResponse {
        var query = BookRetrieval.Query(text: text, books: books)
        query.limit = Self.depth
        query.fusion = setting.fusion
        query.scorer = setting.scorer
        query.usesVectors = setting.usesVectors
        query.rerank = RerankOption(isOn: setting.reranks)
        query.widens = false
        return try await library.retrieval.retrieve(query)
    }

    private static func parts(_ found: BookRetrieveResponse, _ names: [Int64: String]) -> [FoundPart] {
        found.results.map { result in
            FoundPart(
                book: names[result.book] ?? "", range: result.start..<max(result.start, result.end),
                pages: result.page...max(result.page, result.lastPage))
        }
    }

    /// The question's position in the book's text: its offset where offsets count, else behind its text.
    private func position(of question: BookQuestions.Question, in book: Book) async throws -> Int? {
        guard question.position != nil || question.positionAfter != nil else { return nil }
        if book.format == "text", let position = question.position { return position }
        guard let text = question.positionAfter else { return nil }
        return try await library.finder.find(text, in: book.id, after: nil, limit: 1).hits.first?.end
    }

    /// The share of the quotes whose bytes are those of the book's text.
    private func exactOffsets(_ books: [String: Book]) async throws -> Double {
        var (exact, all) = (0, 0)
        for question in questions.questions {
            guard let book = books[question.book] else { continue }
            for evidence in question.evidence {
                guard let range = evidence.range else { continue }
                all += 1
                let found = try await library.store.text(of: book.id, in: range)
                guard found.range == range else { continue }
                if let text = evidence.text {
                    exact += found.text == text ? 1 : 0
                } else if let file = questions.files[question.book], book.format == "text" {
                    let bytes = try Data(contentsOf: file, options: .alwaysMapped)
                    exact += range.upperBound <= bytes.count && bytes[range].elementsEqual(found.text.utf8) ? 1 : 0
                }
            }
        }
        return all > 0 ? (Double(exact) / Double(all) * 10_000).rounded() / 10_000 : 1
    }
}
