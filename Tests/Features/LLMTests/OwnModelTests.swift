import Foundation
import Inference
import NIOCore
import Testing

@testable import LLM

/// The gateway's own models in bodies and lists.
@Suite struct OwnModelNames {
    @Test(
        arguments: [
            (#"{"model":"notes"}"#, true), (#"{"model": "Notes+x", "messages":[]}"#, true),
            (#"{"messages":[],"model":"book:dune"}"#, true), (#"{"model":"BOOK:1"}"#, true),
            (#"{"model":"llama3.2","prompt":"my notes"}"#, false), (#"{"model":"llama3.2"}"#, false),
            (#"{"model":"bookworm"}"#, false), (#""note"#, false), ("", false), (#""notes"#, true), (#""not"#, false),
        ])
    func `a body is read closer only when such a name may stand in it`(_ body: String, _ isPossible: Bool) {
        #expect(ByteBuffer(string: body).mayNameOwnModel == isPossible)
    }

    @Test func `the search for a name agrees with a slow one`() {
        var generator = SystemRandomNumberGenerator()
        let parts = ["\"", "notes", "book:", "NOTES", "no", "tes", "b", "Book", ":", "{", "}", "model", " "]
        for _ in 0..<2000 {
            let body = (0..<Int.random(in: 0...9, using: &generator)).map { _ in
                parts.randomElement(using: &generator) ?? ""
            }
            .joined()
            let slow = ["\"notes", "\"book:"].contains { body.lowercased().contains($0) }
            #expect(ByteBuffer(string: body).mayNameOwnModel == slow, "\(body)")
        }
    }

    @Test(arguments: ["/api/tags", "/v1/models"])
    func `they stand behind all others, whose entries stay as they are`(_ path: String) throws {
        let catalogue = try #require(MergedCatalogue(path: path))
        let member = path == "/api/tags" ? "name" : "id"
        let entry = #"{"\#(member)":"a:latest","digest":"d", "x":[1,{"y":"]"}]}"#
        let list = path == "/api/tags" ? #"{"models":[\#(entry)]}"# : #"{"object":"list","data":[\#(entry)]}"#
        let merged = try catalogue.merge([Data(list.utf8)], aliases: [:])
        for others in [merged, try catalogue.merge([Data(list.replacing(entry, with: "").utf8)], aliases: [:])] {
            let added = catalogue.adding(["notes", "a", "book:b"], to: ByteBuffer(bytes: others))
            let text = String(buffer: added)
            let known = others == merged
            #expect(
                catalogue.names(in: added) == (known ? ["a:latest", "notes", "book:b"] : ["notes", "a", "book:b"]))
            #expect(!known || text.contains(entry))
            #expect((try? JSONSerialization.jsonObject(with: Data(text.utf8))) != nil, "\(text)")
        }
    }

    @Test func `a digest has 64 digits, as clients cut it`() throws {
        let catalogue = try #require(MergedCatalogue(path: "/api/tags"))
        let list = catalogue.adding(["notes", "notes+a"], to: ByteBuffer(string: #"{"models":[]}"#))
        let models = try #require(
            (try JSONSerialization.jsonObject(with: Data(list.readableBytesView)) as? [String: Any])?["models"]
                as? [[String: Any]])
        let digests = models.compactMap { $0["digest"] as? String }
        #expect(digests.count == 2 && Set(digests).count == 2 && digests.allSatisfy { $0.count == 64 })
    }

    @Test func `models that do not chat are told by their abilities`() throws {
        let catalogue = try #require(MergedCatalogue(path: "/api/tags"))
        let list = ByteBuffer(
            string:
                #"{"models":[{"name":"a","capabilities":["embedding"]},{"name":"b","capabilities":["completion"]},{"name":"c"}]}"#
        )
        #expect(
            catalogue.names(in: list) == ["a", "b", "c"] && catalogue.names(in: list, chatOnly: true) == ["b", "c"])
    }
}
