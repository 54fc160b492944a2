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
        // Other methods have limits of their own: searches, places at a model, the bytes of their bodies.
        guard [.get, .head].contains(request.method) else { return try await answer(request, context, next) }
        return try await making.run(context.identity.admissionName) { try await answer(request, context, next) }
    }

    private func answer(
        _ request: Request, _ context: Context, _ next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let holder = context.identity.admissionName
        // Without room for any answer, none is made.
        guard !budget.isFull(for: holder) else { throw budget.refusal() }
        let response = try await next(request, context)
        // A stream has no length. Its writer waits for the client.
        if let bytes = response.body.contentLength, bytes > 0 {
            context.client.hold(try AnswerLease(bytes, of: holder, in: budget))
        }
        return response
    }
}
