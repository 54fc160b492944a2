import Foundation
import GatewayTestSupport
import TestSupport
import Testing

@testable import Access
@testable import Gateway
@testable import LLM
@testable import Search
@testable import Server

/// The description and the router cannot drift apart.
@Suite(.serialized) struct OpenAPIRoutes {
    /// `METHOD /path` of everything that the description has below `paths`.
    private func described(_ yaml: String) -> [String] {
        var isInPaths = false
        var path = ""
        var found: [String] = []
        for line in yaml.split(separator: "\n").map(String.init) {
            if !line.hasPrefix(" ") { isInPaths = line == "paths:" }
            guard isInPaths else { continue }
            if let match = line.wholeMatch(of: #/  '?(/[^':]*)'?:/#) { path = String(match.1) }
            if let match = line.wholeMatch(of: #/    (get|put|post|patch|delete|head|options|trace):/#) {
                found.append("\(match.1.uppercased()) \(path)")
            }
        }
        return found
    }

    @Test func `every route is described, and every description is a route`() async throws {
        try await LiveGateway.with { gateway in
            let yaml = try await gateway.request("GET", "/openapi.yaml").text
            let described = described(yaml)
            let routes = gateway.application.router().routes.map { route in
                "\(route.method) \(route.path.replacing(#/:(\w+)/#) { "{\($0.1)}" }.replacing("**", with: "{path}"))"
            }
            #expect(Set(routes).subtracting(described).sorted() == [])
            #expect(Set(described).subtracting(routes).sorted() == [])
            #expect(described.count == Set(described).count && described.count > 50)
        }
    }
}
