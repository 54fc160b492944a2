import Access
import GatewayAPI
import HTTPTypes
import Hummingbird
package import Server
package import Database
import PromptRoom
package import Tools

/// The routes for prompts, for tools by hand and for stored benchmarks.
package struct PromptLibraryAPI: Sendable {
    /// The feature's part of the OpenAPI document, in UTF-8.
    package static let description = PackageResources.openapi_yaml

    private let prompts: PromptRoutes
    private let tools: ToolRoutes
    private let benches: BenchRoutes

    /// Reads the curated prompts and registers the tools.
    ///
    /// - Parameters:
    ///   - tools: The tools of all features.
    ///   - privacy: The notes that calls may ask to leave out.
    /// - Throws: An error of a prompt or a tool; a test builds every feature.
    package init(store: any SQLStore, tools: [Tool], privacy: NotePrivacy, bodyLimit: Int) throws {
        let bodyLimit = min(bodyLimit, 4 << 20)
        prompts = PromptRoutes(service: try PromptService(store.prompts), bodyLimit: bodyLimit)
        self.tools = ToolRoutes(tools: try ToolRegistry(tools), privacy: privacy, bodyLimit: bodyLimit)
        benches = BenchRoutes(store: store.benches, bodyLimit: bodyLimit)
    }

    /// Adds the routes. The router must require keys already.
    package func add(to router: GatewayRouter) {
        router.add(.get, "/api/prompts", .requireScope(.notesRead), prompts.list)
        router.add(.get, "/api/prompts/:id", .requireScope(.notesRead), prompts.show)
        router.add(.put, "/api/prompts/:id", .requireScope(.notesWrite), prompts.save)
        router.add(.delete, "/api/prompts/:id", .requireScope(.notesWrite), prompts.delete)
        router.add(.get, "/api/prompts/:id/versions", .requireScope(.notesRead), prompts.versions)
        router.add(.get, "/api/prompts/:id/diff", .requireScope(.notesRead), prompts.diff)
        router.add(.post, "/api/prompts/:id/render", .requireScope(.notesRead), prompts.render)
        router.add(.get, "/api/tools", .requireScope(.notesRead), tools.list)
        router.add(.post, "/api/tools/:name", .requireScope(.notesRead), tools.call)
        router.add(.get, "/api/bench", .requireScope(.notesRead), benches.list)
        router.add(.post, "/api/bench", .requireScope(.notesWrite), benches.add)
        router.add(.get, "/api/bench/:id", .requireScope(.notesRead), benches.show)
        router.add(.delete, "/api/bench/:id", .requireScope(.notesWrite), benches.delete)
    }
}
