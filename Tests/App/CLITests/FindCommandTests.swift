import Foundation
import GatewayAPI
import GatewayTestSupport
import Testing

/// `selene find` as a process, without a server.
@Suite struct FindCommands {
    @Test func `words and operators are found without a server and without a model`() async throws {
        let home = try SeleneHome()
        let folder = home.url.appending(path: "notes")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try "---\ntags: [sea]\n---\nThe highest water at new moon.".write(
            to: folder.appending(path: "Spring tide.md"), atomically: true, encoding: .utf8)
        try "Flour, water, salt under the moon.".write(
            to: folder.appending(path: "Bread.md"), atomically: true, encoding: .utf8)
        let nowhere = ["OLLAMA_HOST": "127.0.0.1:9"]
        #expect(try await home.run(["ingest", folder.path], nowhere).status == 0)
        let found = try await home.run(["find", "new", "moon"], nowhere)
        #expect(
            found.status == 0 && found.output.contains("1. Spring tide") && found.output.contains("2. Bread"),
            "\(found)")
        let narrowed = try await home.run(["find", "moon -flour", "tag:sea"], nowhere)
        #expect(narrowed.output.contains("Spring tide") && !narrowed.output.contains("Bread"), "\(narrowed)")
        let json = try await home.run(["find", "title:bread", "--json"], nowhere)
        let reply = try JSONDecoder().decode(FindResponse.self, from: Data(json.output.utf8))
        #expect(reply.results.map(\.title) == ["Bread"] && reply.understood == "title:bread", "\(json)")
        #expect(try await home.run(["find", "zzzz"], nowhere).output.contains("Nothing found."))
        for wrong in [["find"], ["find", "x", "--kind", "cats"], ["find", "x", "--limit", "0"], ["find", " "]] {
            #expect(try await home.run(wrong, nowhere).status == 64, "\(wrong)")
        }
        let searched = try await home.run(["search", "moon tag:sea", "--mode", "keyword"], nowhere)
        #expect(searched.output.contains("Spring tide") && !searched.output.contains("Bread"), "\(searched)")
    }
}
