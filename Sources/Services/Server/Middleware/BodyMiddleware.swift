import Access
import Hummingbird

/// Gives each request its share of the body memory. Runs after authentication.
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
