package import Foundation

/// The result of asking a file of questions.
package struct ChatEvaluation: Codable, Sendable, Hashable {
    /// One model with its figures.
    package struct Model: Codable, Sendable, Hashable {
        package var model: String
        /// The number of answers.
        package var answers: Int
        /// The figures; those that nothing was measured for are absent.
        package var figures: [ChatFigure: Double]
    }

    /// One answer.
    package struct Answer: Codable, Sendable, Hashable {
        /// The question's id.
        package var id: String
        package var question: String
        /// What the answer is worth.
        package var outcome: Outcome
        /// The text, cut where it is long.
        package var text: String
        /// Expected words that the answer lacks.
        package var missingWords: [String]
        /// The number of expected notes.
        package var expectedNotes: Int
        /// Expected notes among the passages.
        package var foundNotes: Int
        /// Expected notes that the answer cites.
        package var citedNotes: Int
        /// Whether the question has no answer in the notes.
        package var isUnanswerable: Bool
        /// Whether the question expects words.
        package var expectsWords: Bool
        /// The figures.
        package var sample: AnswerSample

        /// What an answer is worth.
        package enum Outcome: String, Codable, Sendable, Hashable, CaseIterable {
            /// It answers, and has the expected words.
            case answered
            /// It refuses a question that the notes do not answer.
            case refused
            /// It answers without an expected word.
            case incomplete
            /// It refuses a question that the notes answer.
            case wronglyRefused = "wrongly_refused"
            /// It answers a question that the notes do not answer.
            case madeUp = "made_up"
            /// It did not come to its end.
            case failed
        }

        private enum CodingKeys: String, CodingKey {
            case id, question, outcome, text, sample
            case missingWords = "missing_words"
            case expectedNotes = "expected_notes"
            case foundNotes = "found_notes"
            case citedNotes = "cited_notes"
            case isUnanswerable = "unanswerable"
            case expectsWords = "expects_words"
        }

        /// The longest kept text, in characters.
        private static let textLimit = 2000

        /// Judges an answer.
        ///
        /// - Parameters:
        ///   - found: The notes among the passages: id and title.
        ///   - cited: The ids of the notes that the answer cites.
        package init(
            _ question: ChatQuestion, text: String, found: [(id: Int64, title: String)], cited: Set<Int64>,
            sample: AnswerSample
        ) {
            id = question.id
            self.question = question.question
            self.text = text.count > Self.textLimit ? text.prefix(Self.textLimit) + "…" : text
            let folded = text.lowercased()
            missingWords = question.words.filter { !folded.contains($0.lowercased()) }
            expectsWords = !question.words.isEmpty
            isUnanswerable = question.isUnanswerable
            expectedNotes = question.notes.count
            let ids = question.notes.map { note in
                found.filter { candidate in
                    switch note {
                    case .id(let id): candidate.id == id
                    case .title(let title): candidate.title.lowercased() == title.lowercased()
                    }
                }.map(\.id)
            }
            foundNotes = ids.count { !$0.isEmpty }
            citedNotes = ids.count { !cited.isDisjoint(with: $0) }
            self.sample = sample
            outcome =
                switch (sample.isDone, isUnanswerable, sample.isRefusal) {
                case (false, _, _): .failed
                case (_, true, true): .refused
                case (_, true, false): .madeUp
                case (_, false, true): .wronglyRefused
                case (_, false, false): missingWords.isEmpty ? .answered : .incomplete
                }
        }
    }

    /// The name of the file.
    package var name: String
    /// The number of questions.
    package var questions: Int
    /// The answers that were planned; more than ``answers`` has when the evaluation was interrupted.
    package var planned: Int
    /// The figures by model.
    package var models: [Model]
    /// Every answer.
    package var answers: [Answer]

    /// Whether answers are missing, because the evaluation was interrupted.
    package var isPartial: Bool { answers.count < planned }

    /// Summarises answers.
    package init(name: String, questions: Int, planned: Int, answers: [Answer]) {
        self.name = name
        self.questions = questions
        self.planned = planned
        self.answers = answers
        var names: [String] = []
        for answer in answers where !names.contains(answer.sample.model) { names.append(answer.sample.model) }
        models = names.map { name in
            let own = answers.filter { $0.sample.model == name }
            return Model(model: name, answers: own.count, figures: Self.figures(own))
        }
    }

    private static func figures(_ answers: [Answer]) -> [ChatFigure: Double] {
        let done = answers.filter { $0.outcome != .failed }
        let summary = AnswerSummary(model: "", done.map(\.sample))
        let answerable = done.filter { !$0.isUnanswerable }
        let unanswerable = done.filter(\.isUnanswerable)
        let worded = answerable.filter(\.expectsWords)
        let notes = answerable.reduce(0) { $0 + $1.expectedNotes }
        func share(_ part: Int, _ whole: Int) -> Double? { AnswerSummary.share(part, of: whole) }
        let first = LatencySummary(done.compactMap(\.sample.firstTokenMilliseconds))
        let total = LatencySummary(done.compactMap(\.sample.totalMilliseconds))
        let values: [ChatFigure: Double?] = [
            .support: summary.supported,
            .withdrawn: share(
                done.reduce(0) { $0 + ($1.sample.withdrawn ?? 0) }, done.reduce(0) { $0 + ($1.sample.judged ?? 0) }),
            .invented: summary.invents,
            .refused: share(unanswerable.count { $0.outcome == .refused }, unanswerable.count),
            .wronglyRefused: share(answerable.count { $0.outcome == .wronglyRefused }, answerable.count),
            .words: share(worded.count { $0.missingWords.isEmpty }, worded.count),
            .notes: share(answerable.reduce(0) { $0 + $1.foundNotes }, notes),
            .citedNotes: share(answerable.reduce(0) { $0 + $1.citedNotes }, notes),
            .failed: share(answers.count - done.count, answers.count),
            .firstTokenMedian: first?.p50, .firstToken95: first?.p95, .totalMedian: total?.p50, .total95: total?.p95,
        ]
        return values.compactMapValues { $0 }
    }

    /// Reads a report.
    ///
    /// - Throws: `EvaluationError` when the data is not a report.
    package init(json: Data) throws {
        do {
            self = try JSONDecoder().decode(ChatEvaluation.self, from: json)
        } catch {
            throw EvaluationError("not a report of answers: \(error)")
        }
    }

    /// The report as JSON with sorted keys.
    ///
    /// - Throws: `EvaluationError` when a figure is not finite.
    package func json() throws -> Data { try ReportJSON.data(self) }
}
