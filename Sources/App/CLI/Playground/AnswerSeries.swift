import ArgumentParser
import Foundation
import GatewayAPI
import GatewayClient

/// Asks questions one after another and reads each answer to its end.
///
/// All questions are in one session, each without the others as history. The session is deleted at the end.
struct AnswerSeries: Sendable {
    /// A question.
    struct Item: Sendable {
        /// The prompt or question that it belongs to.
        var subject: String
        /// The number of the repetition, from 1.
        var number: Int
        var question: String
        var options: ChatOptions
        /// Whether the answer is not measured: it loads the model.
        var isWarmUp = false
    }

    /// What came of a question.
    struct Outcome: Sendable {
        var item: Item
        /// The whole run; nil when it could not begin or be read.
        var run: ChatRun?
        /// Why there is no run.
        var error: String?
    }

    private let chat: RemoteChatService
    private let data: RemoteDataService
    /// The session of all answers.
    let session: String
    private let keeps: Bool

    /// Creates a series.
    ///
    /// - Parameter keeps: Whether the session stays.
    init(_ connection: GatewayConnection, name: String, keeps: Bool) {
        chat = RemoteChatService(connection)
        data = RemoteDataService(connection)
        session = "\(name)-\(UUID().uuidString.lowercased())"
        self.keeps = keeps
    }

    /// Asks all questions. Cancelling the task stops the answer in progress.
    ///
    /// - Returns: The outcomes in order, without those of warm-ups; fewer than the items after a cancellation, and when
    ///   the gateway is gone.
    /// - Throws: ``GatewayClientError`` when not one question could be asked.
    func run(_ items: [Item], label: String) async throws -> [Outcome] {
        var outcomes: [Outcome] = []
        var bar = ProgressBar(label, unit: "answers")
        let total = items.count { !$0.isWarmUp }
        var failure: GatewayClientError?
        bar.update(done: 0, total: total)
        for item in items {
            if Task.isCancelled { break }
            do {
                let run = try await answer(item)
                if !item.isWarmUp { outcomes.append(Outcome(item: item, run: run)) }
            } catch is CancellationError {
                break
            } catch let error as GatewayClientError {
                guard Self.isOfOneAnswer(error) else {
                    failure = error
                    break
                }
                if !item.isWarmUp { outcomes.append(Outcome(item: item, error: error.message)) }
            }
            bar.update(done: outcomes.count, total: total, failed: outcomes.count { $0.run?.state != .done })
        }
        bar.finish()
        await end()
        if let failure {
            if outcomes.isEmpty { throw failure }
            Terminal.note("selene: \(failure.description)")
        }
        return outcomes
    }

    /// Whether other questions may still be answered after an error.
    private static func isOfOneAnswer(_ error: GatewayClientError) -> Bool {
        switch error.kind {
        case .cut, .timedOut, .undecodable, .tooLarge: true
        case .refused: error.code == "model_not_allowed" || (error.status ?? 0) == 404 || (error.status ?? 0) == 400
        case .unreachable, .cancelled, .invalidRequest: false
        }
    }

    private func answer(_ item: Item) async throws -> ChatRun {
        let request = item.options.request(item.question, session: session, parent: .clear)
        do {
            let run = try await chat.begin(request)
            for try await _ in try chat.events(of: run.id) {}
            try Task.checkCancellation()
            return try await chat.run(run.id)
        } catch {
            guard Task.isCancelled else { throw error }
            // This task can make no calls any more.
            await Task { [chat] in
                guard (try? await chat.stop(request.id)) != nil, let events = try? chat.events(of: request.id) else {
                    return
                }
                do { for try await _ in events {} } catch { return }
            }.value
            throw CancellationError()
        }
    }

    private func end() async {
        guard !keeps else { return }
        await Task { [data, session] in
            do {
                _ = try await data.deleteSession(session)
            } catch let error as GatewayClientError where error.status == 404 {
                return
            } catch {
                Terminal.note("selene: the answers stay in the session \(session): \(error)")
            }
        }.value
    }
}
