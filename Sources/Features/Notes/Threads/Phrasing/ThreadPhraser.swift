package import Access
import GatewayAPI
package import Inference
package import Logging
import Prompts
package import Storage
import Text
package import Tools
import Transport
import ThreadRoom

/// Lets a model phrase names and summaries of open proposals. It decides nothing: without its answer, and for what no note
/// supports, the proposal has its most distinctive words.
///
/// What was phrased is stored at once with a digest of the question, so a run that was stopped goes on where it was, and a
/// second run asks nothing. A model on another machine gets no private notes.
package struct ThreadPhraser: Sendable {
    /// The questions of a run; others wait for the next one.
    package static let maxQuestions = 50
    /// Failures one after the other that end a run's questions.
    package static let maxFailures = 3
    /// The time of an answer, with loading the model.
    package static let timeout = Duration.seconds(60)

    private let store: any GatewayStore
    private let privacy: NotePrivacy
    private let model: PhraseModel
    private let logger: Logger

    /// Creates it; nil without a model's name.
    ///
    /// - Parameters:
    ///   - privacy: The notes that no model on another machine gets.
    ///   - keys: Checks and charges the key of a job.
    /// - Throws: An error of the prompt's template; a test renders it.
    package init?(
        _ name: String?, store: any GatewayStore, providers: ChatProviders, privacy: NotePrivacy, keys: KeyRing?,
        timeout: Duration = Self.timeout, logger: Logger
    ) throws {
        guard let name else { return nil }
        self.store = store
        self.privacy = privacy
        self.logger = logger
        model = PhraseModel(
            name: name, providers: providers, prompts: try ThreadPrompts(), keys: keys, timeout: timeout)
    }

    /// What a run did.
    package struct Outcome: Sendable, Hashable {
        /// The model, as the settings name it.
        var model: String
        /// Proposals that have a name or a sentence of the model.
        package var phrased = 0
        /// Answers without anything that is of use.
        package var useless = 0
        /// Questions without an answer.
        package var failed = 0
        /// Proposals that wait for the next run.
        package var waiting = 0
        /// Private notes that were withheld from the model, for the proposals that were looked at anew.
        package var withheld = 0

        /// What the job's message says of it; empty when there was nothing to do.
        package var text: String {
            let counts = [
                (phrased, "phrased by"), (useless, "without a supported answer of"), (failed, "without an answer of"),
            ]
            var parts = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1) \(model)" }
            if waiting > 0 { parts.append("\(waiting) for the next run") }
            if withheld > 0 { parts.append("\(Count.of(withheld, "private note")) withheld from \(model)") }
            return parts.map { "; " + $0 }.joined()
        }
    }

    /// Phrases the open proposals that are new or whose notes have changed.
    ///
    /// - Parameters:
    ///   - again: Whether answers without anything of use are asked for again.
    ///   - taken: The names of existing threads.
    ///   - key: The key that pays; nil for none.
    ///   - report: Gets a sentence about each question.
    /// - Throws: ``StorageError``, `CancellationError`.
    package func update(
        again: Bool, taken: [String], key: Int64?, now: Int64, _ report: @Sendable (String) -> Void
    ) async throws -> Outcome {
        var outcome = Outcome(model: model.name)
        let open = try await store.threadProposals.stored(.open)
        guard !open.isEmpty else { return outcome }
        let face: PhraseModel.Face
        do {
            face = try await model.face()
        } catch {
            try Task.checkCancellation()
            logger.info("a model phrases no threads now", metadata: ["error": "\(error)"])
            outcome.failed = open.count
            return outcome
        }
        var names = Set(taken.map { TextFolding.folded($0) })
        for name in open.flatMap({ $0.phrasing?.names ?? [] }) { names.insert(TextFolding.folded(name)) }
        var failures = 0
        // The newest first, as they are listed.
        for proposal in open.reversed() {
            try Task.checkCancellation()
            let question = try await question(proposal, face)
            let digest = question.digest(model.name)
            if let old = proposal.phrasing, old.digest == digest {
                guard again, !question.isEmpty, old.names == nil, old.sentences.isEmpty else { continue }
            }
            for name in proposal.phrasing?.names ?? [] { names.remove(TextFolding.folded(name)) }
            outcome.withheld += question.withheld
            var phrasing: StoredPhrasing?
            if question.isEmpty {
                phrasing = StoredPhrasing(
                    digest: digest, model: model.name, names: nil, sentences: [], withheld: question.withheld)
            } else if failures >= Self.maxFailures
                || outcome.phrased + outcome.useless + outcome.failed >= Self.maxQuestions
            {
                outcome.waiting += 1
            } else {
                let asked = outcome.phrased + outcome.useless + outcome.failed
                report("asks \(model.name) about proposal \(proposal.id), \(asked) asked before")
                if let answer = try await answer(to: question, face, taken: names, key: key) {
                    failures = 0
                    phrasing = StoredPhrasing(
                        digest: digest, model: model.name, names: answer.names, sentences: answer.sentences,
                        withheld: question.withheld)
                    let isOfUse = answer.names != nil || !answer.sentences.isEmpty
                    outcome.phrased += isOfUse ? 1 : 0
                    outcome.useless += isOfUse ? 0 : 1
                } else {
                    failures += 1
                    outcome.failed += 1
                }
            }
            for name in phrasing?.names ?? [] { names.insert(TextFolding.folded(name)) }
            // Without an answer, what was phrased of other notes goes.
            if phrasing != nil || proposal.phrasing != nil {
                try await store.threadProposals.keep(phrasing, of: proposal, now: now)
            }
        }
        return outcome
    }

    private func question(_ proposal: StoredThreadProposal, _ face: PhraseModel.Face) async throws -> PhraseQuestion {
        let ids = PhraseQuestion.chosen(proposal).flatMap(\.self)
        let notes = try await store.notes.find(ids: ids)
        return PhraseQuestion(
            proposal, Dictionary(notes.map { ($0.id, $0) }) { first, _ in first },
            hides: face.isRemote ? privacy : nil)
    }

    /// What is of use in the model's answer; nil without an answer.
    private func answer(
        to question: PhraseQuestion, _ face: PhraseModel.Face, taken: Set<String>, key: Int64?
    ) async throws -> PhraseAnswer? {
        do {
            guard let text = try await model.ask(question, face, key: key) else { return nil }
            return await Self.read(text, question, taken)
        } catch {
            try Task.checkCancellation()
            logger.info("a model phrases no thread now", metadata: ["error": "\(error)"])
            return nil
        }
    }

    @concurrent
    private static func read(_ text: String, _ question: PhraseQuestion, _ taken: Set<String>) async -> PhraseAnswer {
        PhraseAnswer(text, to: question, taken: taken)
    }
}
