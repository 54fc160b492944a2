import Concurrency
import Inference
import Logging
import Machine
import Storage
import Text
import Transport

struct BatchOutcome: Sendable {
    var batch: NoteBatch
    /// Notes stored.
    var embedded = 0
    /// Notes that failed for good.
    var failed = 0
    /// The number of texts, and their bytes.
    var texts = 0
    var bytes = 0
    var calls = 0
    /// The duration of all calls.
    var elapsed = Duration.zero
    /// Why the whole batch failed, if its notes are not the cause.
    var outage: UpstreamError?
}

/// A text's vector, or the model's refusal.
enum TextAnswer: Sendable {
    case vector([Float])
    /// `isFinal`: the same text will be refused again.
    case refused(String, isFinal: Bool)

    var vector: [Float] { if case .vector(let vector) = self { vector } else { [] } }
    var isRefused: Bool { if case .refused = self { true } else { false } }
}

/// A batch after its call, with what the model said of its texts, in their order.
struct EmbeddedBatch: Sendable {
    var outcome: BatchOutcome
    var texts: [TextAnswer] = []
}

extension BackfillWorker {
    /// The maximum tries of a note whose refusal is not final.
    static let maxAttempts = 3

    /// Embeds a batch. Everything that can wait until the next call runs is left to ``store(_:as:)``.
    ///
    /// - Parameter arrival: Ends with true when the answer of a batch's only call is there and is yet to be parsed; with false
    ///   at the end otherwise.
    func embed(_ batch: NoteBatch, _ arrival: Race<Bool>) async throws -> EmbeddedBatch {
        defer { arrival.end(false) }
        var outcome = BatchOutcome(batch: batch)
        let texts = batch.notes.flatMap(\.note.texts)
        let started = ContinuousClock.now
        var embedded: [TextAnswer] = []
        let calls = BackfillPlan.calls(for: texts, size: batch.size)
        for call in calls {
            do {
                embedded += try await embed(
                    texts[call], in: batch.space.space, notes: batch.notes.count, calls.count == 1 ? arrival : nil)
            } catch let error as UpstreamError {
                try Task.checkCancellation()
                outcome.outage = error
                return EmbeddedBatch(outcome: outcome)
            }
            outcome.calls += 1
            // Only a batch of a single note has several calls; after a refusal, the rest of the note is not embedded.
            if embedded.contains(where: \.isRefused) { break }
        }
        outcome.elapsed = ContinuousClock.now - started
        outcome.texts = texts.count
        outcome.bytes = texts.reduce(0) { $0 + $1.utf8.count }
        return EmbeddedBatch(outcome: outcome, texts: embedded)
    }

    /// Stores an embedded batch. A note with a refused text is postponed, or marked as failed.
    func store(_ embedded: EmbeddedBatch, as name: WorkerName) async throws -> BatchOutcome {
        var outcome = embedded.outcome
        let (rows, failures) = rows(of: embedded)
        try await queue.complete(rows, failures: failures, in: outcome.batch.space, as: name)
        outcome.embedded = rows.count
        outcome.failed = failures.count { $0.retryAfter == nil }
        return outcome
    }

    private func rows(of embedded: EmbeddedBatch) -> ([EmbeddingRow], [QueueFailure]) {
        var rows: [EmbeddingRow] = []
        var failures: [QueueFailure] = []
        var rest = embedded.texts[...]
        for held in embedded.outcome.batch.notes {
            let own = rest.prefix(held.note.texts.count)
            rest = rest.dropFirst(held.note.texts.count)
            if let failure = failure(of: held, own) {
                logger.warning(
                    "a note cannot be embedded",
                    metadata: ["note": "\(failure.noteID)", "reason": "\(failure.reason)"])
                failures.append(failure)
            } else {
                let vectors = own.count == 1 ? own.first?.vector ?? [] : own.flatMap(\.vector)
                rows.append(
                    EmbeddingRow(
                        noteID: held.note.id, contentHash: held.note.contentHash, vectors: vectors,
                        passages: own.count))
            }
        }
        return (rows, failures)
    }

    private func failure(of held: HeldNote, _ texts: ArraySlice<TextAnswer>) -> QueueFailure? {
        for (index, text) in texts.enumerated() {
            guard case .refused(let reason, let isFinal) = text else { continue }
            let count = held.note.texts.count
            let place = count > 1 ? "passage \(index + 1) of \(count): " : ""
            let isLast = isFinal || held.attempts + 1 >= Self.maxAttempts
            return QueueFailure(
                noteID: held.note.id, contentHash: held.note.contentHash, reason: place + reason,
                retryAfter: isLast ? nil : .seconds(1) * (1 << (2 * held.attempts)))
        }
        return nil
    }

    /// Embeds texts and returns a vector or a refusal for each.
    ///
    /// - Throws: ``UpstreamError`` when the call failed for reasons other than its texts.
    private func embed(
        _ texts: ArraySlice<String>, in space: EmbeddingSpace, notes: Int, _ arrival: Race<Bool>?
    ) async throws -> [TextAnswer] {
        try await account?.check()
        let cost = EmbeddingCost()
        defer { account?.charge(cost.tokens, space.model) }
        let answer = try await lane.embed(
            texts.map { space.documentPrefix + $0 }, with: EmbeddingModel(name: space.model, digest: space.digest),
            as: Self.caller, cost: cost, received: { arrival?.end(true) })
        if let outage = answer.outage { throw outage }
        let faults = answer.results.map { $0.fault(dimensions: space.dimensions, of: space.model) }
        // If no text has a vector, another text tells whether these are at fault, or the model is.
        if let first = faults.first ?? nil, faults.allSatisfy({ $0.map { $0.status != 400 } ?? false }),
            notes > 1 || first.code != .status,
            try await !lane.works(
                EmbeddingModel(name: space.model, digest: space.digest), dimensions: space.dimensions,
                as: Self.caller)
        {
            throw first
        }
        return zip(answer.results, faults).map { result, fault in
            if let fault { return .refused(fault.message, isFinal: fault.status == 400) }
            guard case .success(let vector) = result, vector.contains(where: { $0 != 0 }) else {
                return .refused("the model returned a vector of zeros", isFinal: false)
            }
            return .vector(vector)
        }
    }
}
