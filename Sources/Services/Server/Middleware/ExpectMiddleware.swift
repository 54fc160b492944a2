import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// Answers `Expect: 100-continue` when a route begins to read the body: its head and the caller's rights are checked by
/// then. A request that is refused before gets its answer at once, and the connection ends, since the body may still
/// come or not.
struct ExpectMiddleware: RouterMiddleware {
    package typealias Context = GatewayRequestContext

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard Self.expectsContinue(request.headers) else { return try await next(request, context) }
        var request = request
        let body = AwaitedBody(base: request.body, client: context.client)
        request.body = RequestBody(asyncSequence: body)
        var response = try await next(request, context)
        if !body.state.isAsked { response.headers[.connection] = "close" }
        return response
    }

    /// Whether the client waits for `100 Continue`.
    static func expectsContinue(_ headers: HTTPFields) -> Bool {
        headers[values: .expect].contains { value in
            value.split(separator: ",").contains {
                $0.filter { $0 != " " && $0 != "\t" }.lowercased() == "100-continue"
            }
        }
    }
}

/// A body that its client sends after `100 Continue`, which the first read asks for.
private struct AwaitedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let base: RequestBody
    let client: ClientConnection
    let state = State()

    final class State: Sendable {
        private let asked = Atomic(false)

        var isAsked: Bool { asked.load(ordering: .relaxed) }

        /// Whether this is the first call.
        func ask() -> Bool { !asked.exchange(true, ordering: .relaxed) }
    }

    struct Iterator: AsyncIteratorProtocol {
        var base: RequestBody.AsyncIterator
        let client: ClientConnection
        let state: State

        mutating func next() async throws -> ByteBuffer? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            if state.ask() { client.sendContinue() }
            return try await base.next(isolation: actor)
        }
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), client: client, state: state)
    }
}
