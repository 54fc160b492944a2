import GatewayAPI
import GatewayClient

/// Begins a run, or attaches to one, and prints it to its end. An interrupt stops the run.
struct ChatRunPrinter: Sendable {
    let chat: RemoteChatService
    let interrupts: InterruptSwitch
    let isJSON: Bool

    /// Begins a run.
    ///
    /// - Throws: ``GatewayClientError``; `CancellationError` after an interrupt.
    func begin(_ request: ChatRunRequest) async throws -> ChatRun {
        let beginning = Task { [chat] in try await chat.begin(request) }
        interrupts.watch { beginning.cancel() }
        defer { interrupts.watch(nil) }
        do {
            return try await beginning.value
        } catch let error as GatewayClientError where error.kind == .cancelled {
            // The gateway may have begun it nevertheless.
            _ = try? await chat.stop(request.id)
            throw CancellationError()
        }
    }

    /// Prints a run from its beginning to its end, also one that has ended.
    ///
    /// - Returns: The whole run.
    func follow(_ run: ChatRun) async throws -> ChatRun {
        let reading = Task { try await read(run) }
        interrupts.watch { [chat] in
            Task {
                do {
                    try await chat.stop(run.id)
                } catch {
                    Terminal.note("selene: cannot stop the answer: \(error)")
                    reading.cancel()
                }
            }
        }
        defer { interrupts.watch(nil) }
        return try await reading.value
    }

    private func read(_ run: ChatRun) async throws -> ChatRun {
        var printer = ChatPrinter(isJSON: isJSON, model: run.model)
        var answer = ChatAnswer()
        do {
            for try await event in try chat.events(of: run.id) {
                answer.apply(event)
                printer.show(event, answer)
            }
            let whole = try await chat.run(run.id)
            printer.finish(whole)
            return whole
        } catch {
            printer.breakOff()
            throw error
        }
    }
}
