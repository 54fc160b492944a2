package import Hummingbird

/// Answers each request in a task of its own.
///
/// A connection has one task for all its requests, and a task keeps the memory of its deepest calls until it ends: some 25 KB behind
/// the middleware, for each idle connection and each open stream of events. A child task gives it back with the response.
/// It runs on the threads of all tasks, since it may take long, and the connection's task on the thread of its event loop,
/// where it also writes the body of the response.
package struct RequestTasks<Base: HTTPResponder>: HTTPResponder where Base.Context: Sendable {
    package typealias Context = Base.Context

    private let base: Base

    /// Answers with a responder.
    package init(_ base: Base) { self.base = base }

    /// The responder's answer.
    ///
    /// - Throws: What the responder throws; `CancellationError`.
    package func respond(to request: Request, context: Context) async throws -> Response {
        try await withThrowingTaskGroup(of: Response.self) { group in
            group.addTask(executorPreference: globalConcurrentExecutor) {
                try await base.respond(to: request, context: context)
            }
            guard let response = try await group.next() else { throw CancellationError() }
            return response
        }
    }
}
