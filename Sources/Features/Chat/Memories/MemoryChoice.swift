import ChatRoom
import GatewayAPI
import Storage
import Tools

/// Decides whether a run uses memories and is read for them.
struct MemoryChoice: Sendable {
    /// The latest runs of a session that are looked at.
    private static let maxRuns = 200

    let engine: ChatEngine

    init(_ engine: ChatEngine) { self.engine = engine }

    /// The options of a plan, with what the person said about memories in the session before.
    ///
    /// - Throws: ``StorageError``.
    func resolve(_ plan: RunPlan) async throws -> RunPlan.Options {
        var options = plan.options
        guard engine.settings.remembers else {
            options.remembers = false
            return options
        }
        if options.memories == nil, let session = plan.session {
            let last = try await engine.answers.requests(of: session, limit: 1).first
            options.memories = last.flatMap { RunPlan.Options(stored: $0).memories }
        }
        options.remembers = options.memories ?? true
        return options
    }

    /// Whether nothing may be learned from a run: it, another run of its session, or a note of its passages is private.
    ///
    /// - Throws: ``StorageError``.
    func isPrivate(_ run: UnreadRun) async throws -> Bool {
        let requests = try await engine.answers.requests(of: run.session, limit: Self.maxRuns)
        var scopes = (requests + [run.request]).map { RunPlan.Options(stored: $0).scope }.compactMap(\.self)
        scopes = Array(Set(scopes))
        for scope in scopes where try await covers(scope) { return true }
        return try await !PrivateMessages.hidden(run.notes, engine.settings.privacy, engine).isEmpty
    }

    /// Whether a scope names what is private.
    private func covers(_ scope: ChatScope) async throws -> Bool {
        let privacy = engine.settings.privacy
        if (scope.tag?.values ?? []).contains(where: privacy.covers(tag:)) { return true }
        if (scope.noteType?.values ?? []).contains(where: privacy.covers(type:)) { return true }
        guard !privacy.threads.isEmpty else { return false }
        for name in scope.thread?.values ?? [] {
            if privacy.covers(thread: name) { return true }
            guard let thread = try await RunThread.find(ChatScope(thread: .init([name])), in: engine.threads) else {
                continue
            }
            if privacy.covers(thread: thread.name) || privacy.covers(thread: thread.id) { return true }
        }
        return false
    }
}
