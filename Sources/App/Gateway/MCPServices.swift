import ChatRoom
import Access
import BookRoom
import Books
import Chat
import Database
import GatewayAPI
import GoalTracking
import LLM
package import MCP
import Notes
import PromptLibrary
import PromptRoom
import Search
import Server
import Storage
import Tools

extension Feature {
    /// Serves the tools of all features, the notes and the prompts to assistants.
    static func mcp(_ shared: SharedServices, tools: [Tool]) throws -> Feature {
        guard shared.configuration.mcp.isOn else { return Feature() }
        let server = try MCPServer(shared.store, tools: tools, shared.configuration)
        let routes = MCPRoutes(server: server, hides: shared.configuration.mcpHides, live: shared.live)
        return Feature(
            description: MCPRoutes.description, routes: routes.add, metrics: [{ routes.write(to: &$0) }])
    }
}

extension SearchServices {
    /// The MCP server of a command, without an HTTP server, and its only client.
    package func mcp(_ configuration: GatewayConfiguration) throws -> (server: MCPServer, caller: MCPCaller) {
        let memories = MemoryRetrieval(
            store.memories, embedder: queries, model: configuration.llm.embedModel,
            scans: KeyConcurrencyLimiter(.scans))
        var tools = SearchTools(notes: retrieval.search, memories: memories).all + NoteTools(store: store).all
        let library = library(configuration)
        tools += BookTools(retrieval: library.retrieval, store: library.store).all
        tools += GoalTools(service: goals, reviews: GoalReviews(goals, privacy: configuration.chat.privacy)).all
        return (
            try MCPServer(store, tools: tools, configuration),
            MCPCaller.owner(hides: configuration.mcpHides)
        )
    }
}

extension MCPServer {
    /// Creates the server with the tools that read, those that change notes, and the prompts of the library.
    fileprivate init(_ store: any GatewayStore, tools: [Tool], _ configuration: GatewayConfiguration) throws {
        let prompts = try PromptLibraryReader(store.prompts)
        try self.init(
            store: store, tools: tools + NoteChangeTools(store: store).all + [BriefingTool(store: store).tool],
            prompts: MCPPromptSource(list: prompts.all, render: prompts.rendered),
            options: Options(configuration.mcp, version: GatewayVersion.current))
    }
}

extension GatewayConfiguration {
    /// The notes that no MCP client gets; nil for none. A client's model may be on another machine.
    fileprivate var mcpHides: NotePrivacy? { mcp.showsPrivate ? nil : chat.privacy }
}
