import GatewayAPI
import HTTPTypes
import Hummingbird
import PromptRoom
import Server
import Storage

/// The routes for stored benchmarks.
struct BenchRoutes: Sendable {
    let store: BenchRoom
    let bodyLimit: Int

    /// `GET /api/bench`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(BenchRunsResponse(runs: try await store.all()))
    }

    /// `GET /api/bench/:id`
    func show(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(try await store.find(context.rowID()))
    }

    /// `POST /api/bench`
    func add(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let new = try await JSONRequest.decode(NewBenchRun.self, from: request, limit: bodyLimit, in: context)
        let name: String = try FieldCheck.text(new.name, "name", maxBytes: NotesLimits.maxWordBytes)
        guard case .object = new.report else { throw GatewayError.field("report", "expected an object") }
        return JSONReply.response(try await store.add(NewBenchRun(name: name, report: new.report)), status: .created)
    }

    /// `DELETE /api/bench/:id`
    func delete(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        guard try await store.delete(id) else {
            throw GatewayError(.notFound, .notFound, "there is no benchmark \(id)")
        }
        return JSONReply.response(DeletedResponse(id: id))
    }
}
