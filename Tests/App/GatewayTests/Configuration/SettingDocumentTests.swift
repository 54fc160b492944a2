import Foundation
import Gateway
import Server
import TestSupport
import Testing

/// `Documentation/Configuration.md` against the list of settings.
@Suite struct ConfigurationDocument {
    @Test func `every setting is documented, and nothing else`() throws {
        let text = try String(
            contentsOf: Repository.root.appending(path: "Documentation/Configuration.md"), encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let names = rows.flatMap { row in
            row.split(separator: "|")[0].matches(of: /`([A-Z0-9_]+)`/).map { String($0.output.1) }
        }
        #expect(names.sorted() == GatewayConfiguration.settings.map(\.environment).sorted())
    }
}
