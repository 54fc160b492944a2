import Access
import Hummingbird

/// Gives each request its share of the memory for bodies. Runs when the identity is known.
struct BodyMiddleware: RouterMiddleware {
    package typealias Context = GatewayRequestContext

    let budget: BodyBudget

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.body = BodyLease(budget, holder: context.identity.admissionName)
        return try await next(request, context)
    }
}
