import GatewayTestSupport
import Server
import Testing
import Yams

/// The joining of the features' descriptions.
@Suite struct OpenAPIDocuments {
    @Test func `equal sections become one, in the order of the parts`() {
        let first = """
            openapi: 3.1.0
            info:
              description: |
                One.

                Two.
            tags:
              - {name: a}
            paths:
              /a:
                get: {}
            components:
              parameters:
                ID: {}
              schemas:
                A:
                  type: object

            """
        let second = """
            paths:
              '/b/{id}':
                get: {}
            components:
              schemas:
                B: {}
            tags:
              - {name: b}
            """
        let joined = """
            openapi: 3.1.0
            info:
              description: |
                One.

                Two.
            tags:
              - {name: a}
              - {name: b}
            paths:
              /a:
                get: {}
              '/b/{id}':
                get: {}
            components:
              parameters:
                ID: {}
              schemas:
                A:
                  type: object
                B: {}

            """
        #expect(OpenAPIDocument.joined([first, second]) == joined)
        #expect(OpenAPIDocument.joined([first]) == first)
        #expect(OpenAPIDocument.joined([joined]) == joined)
    }

    /// Yams refuses a mapping with a key that is there twice, so no two parts define the same path or schema.
    @Test func `the gateway's parts define everything once, and everything that they refer to`() async throws {
        try await LiveGateway.with { gateway in
            let text = try await gateway.request("GET", "/openapi.yaml").text
            let document = try #require(try Yams.load(yaml: text) as? [String: Any])
            let components = try #require(document["components"] as? [String: [String: Any]])
            let references = text.matches(of: #/#\/components\/(\w+)\/(\w+)/#)
            #expect(references.count > 100)
            for reference in references {
                let (kind, name) = (String(reference.1), String(reference.2))
                #expect(components[kind]?[name] != nil, "\(kind) \(name)")
            }
            let used = Set(references.filter { $0.1 == "schemas" }.map { String($0.2) })
            #expect(Set(components["schemas", default: [:]].keys).subtracting(used).isEmpty)
        }
    }
}
