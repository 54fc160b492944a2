import Access
import GatewayAPI
import Hummingbird
package import Server

/// `web_search` and `web_fetch` in the form of Ollama's service, at its paths and at those of Ollama's own server.
package struct WebSearchRoutes: Sendable {
    /// The feature's part of the OpenAPI document, in UTF-8.
    package static let description = PackageResources.openapi_yaml

    /// The results of a search: those by default, and how many may be asked for.
    static let results = 5
    static let resultCounts = 1...10
    /// The longest query in UTF-8 bytes.
    static let maxQueryBytes = 4096
    /// The largest body in bytes.
    private static let maxBodyBytes = 1 << 20

    private let server: SearXNG?
    private let pages: PageFetch?
    private let bodyLimit: Int
    private let searches = KeyConcurrencyLimiter(.webSearches)
    private let fetches = KeyConcurrencyLimiter(.webPages)

    /// - Parameters:
    ///   - server: What searches; nil while web search is off.
    ///   - pages: What fetches pages; nil while that is off.
    ///   - bodyLimit: The largest body in bytes.
    package init(server: SearXNG?, pages: PageFetch?, bodyLimit: Int) {
        self.server = server
        self.pages = pages
        self.bodyLimit = min(bodyLimit, Self.maxBodyBytes)
    }

    /// Adds the routes. The router must require keys already.
    package func add(to router: GatewayRouter) {
        for folder in ["/api", "/api/experimental"] {
            router.add(.post, "\(folder)/web_search", .requireScope(.llm), search)
            router.add(.post, "\(folder)/web_fetch", .requireScope(.llm), fetch)
        }
    }

    func search(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        guard let server else { throw WebFailure.searchIsOff }
        let body = try await JSONRequest.decode(
            SearchBody.self, from: request, limit: bodyLimit, in: context, unknown: .ignored)
        let query: String = try FieldCheck.text(body.query, "query", maxBytes: Self.maxQueryBytes)
        let count = try FieldCheck.limit(body.maxResults, "max_results", default: Self.results, in: Self.resultCounts)
        let account = context.identity.admissionName
        let found = try await context.client.whilePresent { [searches] in
            try await searches.run(account) { try await server.search(query, count: count) }
        }
        return JSONReply.response(SearchReply(results: found))
    }

    func fetch(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        guard let pages else { throw WebFailure.fetchIsOff }
        let body = try await JSONRequest.decode(
            FetchBody.self, from: request, limit: bodyLimit, in: context, unknown: .ignored)
        let url: String = try FieldCheck.text(body.url, "url", maxBytes: PageFetch.maxURLBytes)
        let account = context.identity.admissionName
        let page = try await context.client.whilePresent { [fetches] in
            try await fetches.run(account) { try await pages.page(url) }
        }
        return JSONReply.response(page)
    }

    private struct SearchBody: Decodable {
        var query: String
        var maxResults: Int?

        enum CodingKeys: String, CodingKey {
            case query
            case maxResults = "max_results"
        }
    }

    private struct FetchBody: Decodable {
        var url: String
    }

    private struct SearchReply: Encodable {
        var results: [SearXNG.Found]
    }
}
