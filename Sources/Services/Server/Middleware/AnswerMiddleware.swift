import Access
import Hummingbird

/// Counts the bytes of each answer until its client took them, and refuses requests whose answers find no room. A large
/// answer waits in a file (``AnswerFile``). Runs after authentication; answers of open routes share their bytes.
struct AnswerMiddleware: RouterMiddleware {
    package typealias Context = GatewayRequestContext

    let limits: BodyLimits
    private let making = KeyConcurrencyLimiter(.answers)

    init(limits: BodyLimits) { self.limits = limits }

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let holder = context.identity.admissionName
        // Other methods have limits of their own: searches, places at a model, the bytes of their bodies. What they changed is
        // changed, so their answers are not refused.
        let turn = AnswerTurn()
        defer { turn.end() }
        var context = context
        context.turn = turn
        guard [.get, .head].contains(request.method) else {
            let response = await waiting(try await next(request, context), holder)
            hold(try? lease(of: response, holder), context)
            return response.answer
        }
        // Without room for any answer, none is made.
        guard !limits.answers.isFull(for: holder) else { throw limits.answers.refusal() }
        turn.keep(try await context.client.whilePresent { [making] in try await making.take(holder) })
        var response = Waiting(answer: try await next(request, context))
        // The answer to HEAD has no body.
        if request.method == .get { response = await waiting(response.answer, holder) }
        hold(try lease(of: response, holder), context)
        return response.answer
    }

    /// An answer that waits for its client.
    private struct Waiting {
        var answer: Response
        var isInFile = false

        /// Bytes in memory; nil for a stream, which has no length and waits for its client.
        var memory: Int? { isInFile ? AnswerFile.memory : answer.body.contentLength }
    }

    /// Moves a large answer to a file. Without room on the disk it stays in memory.
    private func waiting(_ response: Response, _ holder: String) async -> Waiting {
        guard let bytes = response.body.contentLength, bytes >= AnswerFile.leastBytes else {
            return Waiting(answer: response)
        }
        let file = try? await AnswerFile(
            response.body, bytes: bytes, of: holder, in: limits.answerFiles, folder: limits.folder)
        guard let file else { return Waiting(answer: response) }
        var answer = response
        answer.body = file.body
        // A body without a length takes it from the header, too.
        answer.headers[.contentLength] = String(bytes)
        return Waiting(answer: answer, isInFile: true)
    }

    private func lease(of response: Waiting, _ holder: String) throws(GatewayError) -> AnswerLease? {
        guard let bytes = response.memory, bytes > 0 else { return nil }
        return try AnswerLease(bytes, of: holder, in: limits.answers)
    }

    private func hold(_ lease: AnswerLease?, _ context: Context) {
        if let lease { context.client.hold(lease) }
    }
}
