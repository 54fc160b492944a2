import ChatRoom
import GatewayAPI
import Inference
import Logging
import ServiceLifecycle
import Storage

/// Lets the model's server compute the next prompt of a conversation that somebody opens, or of a book that somebody reads, up to the
/// question, while the server is idle.
///
/// Others go first: it begins when nothing is in flight and nothing waits, and ends when a request arrives. The server keeps
/// what it computed. Nothing of it is a run, a message or a charge.
package struct Prefiller: Service {
    let engine: ChatEngine
    private var prefills: Prefills { engine.prefills }

    package init(_ engine: ChatEngine) { self.engine = engine }

    package func run() async throws {
        guard prefills.isOn else { return try await gracefulShutdown() }
        await cancelWhenGracefulShutdown { [self] in
            for await _ in prefills.wakes {
                while !Task.isCancelled, let wish = prefills.take() { await carryOut(wish) }
            }
        }
    }

    private func carryOut(_ wish: Prefills.Wish) async {
        let task = Task { try await attempts(wish) }
        prefills.began { task.cancel() }
        defer { prefills.ended() }
        do {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch is CancellationError {
            // Another conversation was opened, this one was deleted, or the gateway ends.
        } catch {
            engine.metrics.prefilled(.failed)
            engine.logger.debug(
                "a prompt cannot be computed ahead", metadata: ["subject": "\(wish.subject)", "error": "\(error)"])
        }
    }

    /// Tries again when another request interrupts it.
    private func attempts(_ wish: Prefills.Wish) async throws {
        for _ in 0..<ChatLimits.prefillAttempts {
            // Who looks through conversations leaves most of them at once; and between the requests of an answer the server is idle.
            try await Task.sleep(for: ChatLimits.prefillPause)
            guard prefills.isWanted, try await attempt(wish) == .interrupted else { return }
        }
    }

    private func attempt(_ wish: Prefills.Wish) async throws -> PromptPrefill.Outcome {
        guard let name = try await NextPrompt.model(for: wish.subject, engine),
            let server = engine.providers.resolve(name).provider.prefill
        else {
            engine.metrics.prefilled(.skipped)
            return .nothing
        }
        let state = PrefillState()
        do {
            let outcome = try await server.run(engine.providers.resolve(name).model) {
                guard prefills.isWanted, ContinuousClock.now - wish.at < ChatLimits.prefillPatience,
                    let next = try await NextPrompt(for: wish.subject, of: wish.owner, engine),
                    next.model == name,
                    !prefills.has(next.computed(requests: server.requests)), await wish.mayUse(next.model),
                    prefills.mayStart(for: wish.owner.name)
                else { return nil }
                try Task.checkCancellation()
                engine.metrics.prefilled(.started)
                await state.begin(next)
                return next.request
            }
            switch (outcome, await state.prompt) {
            case (.done, let next?):
                engine.metrics.prefilled(.done)
                prefills.note(next.computed(requests: server.requests))
            case (.interrupted, _?): engine.metrics.prefilled(.cancelled)
            case (.nothing, _), (.notLoaded, _): engine.metrics.prefilled(.skipped)
            default: break
            }
            return outcome
        } catch {
            if Task.isCancelled {
                if await state.prompt != nil { engine.metrics.prefilled(.cancelled) }
                throw CancellationError()
            }
            throw error
        }
    }
}

/// What an attempt has begun to compute.
private actor PrefillState {
    private(set) var prompt: NextPrompt?

    func begin(_ prompt: NextPrompt) { self.prompt = prompt }
}
