import Access
import Hummingbird

/// Counts the bytes of each answer until its client took them, and refuses requests whose answers find no room. Runs
/// after authentication; answers of open routes share their bytes.
struct AnswerMiddleware: RouterMiddleware {
    package typealias Context = GatewayRequestContext

    let budget: BodyBudget
    private let making = KeyShare(.answers)

    init(budget: BodyBudget) { self.budget = budget }

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let holder = context.identity.admissionName
        // Other methods have limits of their own: searches, places at a model, the bytes of their bodies. What they changed is
        // changed, so their answers are small, and not refused.
        guard [.get, .head].contains(request.method) else {
            let response = try await next(request, context)
            hold(try? lease(of: response, holder), context)
            return response
        }
        // Without room for any answer, none is made.
        guard !budget.isFull(for: holder) else { throw budget.refusal() }
        let turn = try await context.client.whilePresent { [making] in try await making.take(holder) }
        defer { turn.end() }
        var context = context
        context.turn = turn
        let response = try await next(request, context)
        hold(try lease(of: response, holder), context)
        return response
    }

    /// The lease of an answer's bytes; nil for a stream, which has no length and waits for its client.
    private func lease(of response: Response, _ holder: String) throws(GatewayError) -> AnswerLease? {
        guard let bytes = response.body.contentLength, bytes > 0 else { return nil }
        return try AnswerLease(bytes, of: holder, in: budget)
    }

    private func hold(_ lease: AnswerLease?, _ context: Context) {
        if let lease { context.client.hold(lease) }
    }
}
