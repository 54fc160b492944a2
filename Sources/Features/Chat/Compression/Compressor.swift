package import Access
import ChatRoom
import ChatRun
import GatewayAPI
import Inference
package import JobRoom
import Logging
import Prompts
import Storage
import Tools
import Transport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes summaries of old messages, as jobs. The messages stay.
package struct Compressor: Sendable {
    let engine: ChatEngine
    let keys: KeyRing
    let jobs: JobRoom

    private var store: SummaryRoom { engine.compressions.store }

    /// Creates a compressor.
    ///
    /// - Parameters:
    ///   - keys: Checks and charges the key of a job.
    ///   - jobs: Where it is seen that a job was cancelled.
    package init(_ engine: ChatEngine, keys: KeyRing, jobs: JobRoom) {
        self.engine = engine
        self.keys = keys
        self.jobs = jobs
    }

    /// Summarises the messages of a waiting session. A failure is retried after a pause; a cancelled job is not.
    ///
    /// - Returns: The job's last message.
    /// - Throws: ``UpstreamError``, ``StorageError``, ``AccessRefusal``, `CancellationError`.
    package func work(_ job: StoredJob, _ report: @escaping @Sendable (JobProgress) -> Void) async throws -> String? {
        defer { engine.compressions.wake() }
        let session = try job.decodedParameters(as: CompressionJobRequest.self).session
        guard let pending = try await store.pending(session) else { return "nothing to do" }
        do {
            if let key = job.keyID {
                try await keys.requireFunds(ofKey: key, scope: .llm, model: pending.model)
            }
            let summary = try await summarise(pending, key: job.keyID, report)
            try await store.finish(pending)
            engine.metrics.compressed(.done)
            return summary
        } catch {
            // This task may be cancelled, and the row has to be written all the same.
            let isCancelled = error is CancellationError || (error as? UpstreamError)?.code == .cancelled
            await Task { await recordFailure(pending, error, of: job, isCancelled: isCancelled) }.value
            throw isCancelled ? CancellationError() : error
        }
    }

    /// Decides about another attempt. A job that was interrupted stays due.
    private func recordFailure(_ pending: PendingCompression, _ error: any Error, of job: StoredJob, isCancelled: Bool)
        async
    {
        do {
            if isCancelled {
                guard try await jobs.find(job.id).job.state == .cancelled else { return }
                engine.metrics.compressed(.cancelled)
                return try await store.fail(pending, "cancelled", retryAt: nil)
            }
            engine.metrics.compressed(.failed)
            let pause = ChatLimits.compressionPause(after: pending.attempts + 1)
            let now = Int64(Date.now.timeIntervalSince1970 * 1000)
            try await store.fail(
                pending, FailureReason.of(error), retryAt: pause.map { now + Int64($0.milliseconds) })
        } catch {
            engine.logger.warning(
                "the state of a compression cannot be stored",
                metadata: ["session": "\(pending.session)", "error": "\(error)"])
        }
    }

    // MARK: Summarising

    private func summarise(
        _ pending: PendingCompression, key: Int64?, _ report: @Sendable (JobProgress) -> Void
    ) async throws -> String {
        let (provider, model) = engine.providers.resolve(pending.model)
        let capabilities = try await provider.capabilities(of: model)
        let isRemote = !provider.isLocal || capabilities.isRemote
        var messages = try await engine.answers.history(through: pending.message, of: pending.session)[...]
        var base = try await HistorySummary.find(messages, of: pending.session, in: store)
        let sources = try await engine.answers.sources(of: messages.compactMap(\.run))
        let hides = engine.settings.privacy
        let found = try await PrivateMessages(among: messages, hides, engine)
        var hidden = PrivateMessages.none
        if isRemote {
            hidden = found
            if let known = base, try await !known.mayLeave(hides, covering: messages, found, engine) { base = nil }
            _ = hidden.withhold(from: &messages)
        }
        var request = ModelChatRequest(model: model, turns: [])
        request.maxTokens = ChatLimits.summaryTokens
        request.temperature = 0
        request.thinks = capabilities.thinking ? false : nil
        let context = min(engine.settings.contextTokens, capabilities.contextTokens ?? .max)
        request.contextTokens = context
        var done = base?.covers ?? 0
        while done < messages.count {
            report(JobProgress(done: done, total: messages.count))
            let estimate = engine.estimates.withLock { $0[pending.model] }
            let frame = estimate.tokens(engine.prompts.compressing([], summary: base?.text))
            let chunk = CompressionChunk(
                messages.dropFirst(done), tokens: context - ChatLimits.summaryTokens - frame, estimate: estimate)
            let prompt = engine.prompts.compressing(chunk.turns, summary: base?.text)
            request.turns = [.user(prompt)]
            let text = try await answer(request, of: pending.model, from: provider, key: key)
            let covered = messages.dropFirst(done).prefix(chunk.count)
            done += covered.count
            guard let last = covered.last else { break }
            let told = covered.filter { !hidden.messages.contains($0.id) }
            // A base of unknown origin counts as private.
            var notes = base.map { Set($0.notes ?? [HistorySummary.privateText]) } ?? []
            for run in told.compactMap(\.run) { notes.formUnion(sources[run]?.notes ?? []) }
            if told.contains(where: { found.beyondNotes.contains($0.id) }) { notes.insert(HistorySummary.privateText) }
            base = HistorySummary(text: text, covers: done, notes: notes.sorted(), model: pending.model)
            try await store.keep(
                ChatSummary(message: last.id, text: text, notes: notes.sorted(), model: pending.model),
                of: pending.session)
        }
        report(JobProgress(done: done, total: messages.count))
        let withheld = hidden.messages.isEmpty ? "" : "; \(hidden.messages.count) withheld from \(pending.model)"
        return "\(done) messages summarised" + withheld
    }

    /// Sends a request with low priority and returns the text of the answer.
    private func answer(
        _ request: ModelChatRequest, of model: String, from provider: any ChatProvider, key: Int64?
    ) async throws -> String {
        let answer = SideAnswer()
        try await provider.chat(request, for: AdmissionCaller("chat.compress", .batch)) { await answer.take($0) }
        try Task.checkCancellation()
        if let usage = await answer.usage {
            let (prompt, completion) = (usage.promptTokens ?? 0, usage.completionTokens ?? 0)
            engine.metrics.spent(prompt: prompt, completion: completion)
            if let key { keys.recordTokens(key, of: model, prompt: prompt, completion: completion) }
        }
        let text = await answer.text
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw UpstreamError(.invalidResponse, "the model's summary is empty")
        }
        return text
    }
}
