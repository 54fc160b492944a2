import Foundation
import Testing
import Transport

@testable import LLM

/// One list of models made of several, without a server.
@Suite struct MergedCatalogues {
    private func merge(_ path: String, _ bodies: [String], aliases: [String: String] = [:]) throws -> String {
        let catalogue = try #require(MergedCatalogue(path: path))
        return String(decoding: try catalogue.merge(bodies.map { Data($0.utf8) }, aliases: aliases), as: UTF8.self)
    }

    @Test func `entries stay as they are, the newest first, and of two the newer one`() throws {
        let one =
            #"{"models": [ {"name":"a:1", "modified_at":"2026-01-01T00:00:00.5Z","x":1.0 },{"name":"b:1","modified_at":"2026-03-01T00:00:00Z"}]}"#
        let two =
            #"{"models":[{"modified_at":"2026-01-01T02:00:00.6+02:00","name":"a:1","y":"ü"},{"name":"c:1","modified_at":"2026-02-28T20:00:00.123456789-07:00"}],"more":[]}"#
        let merged = try merge("/api/tags", [one, two])
        #expect(
            merged
                == #"{"models":[{"name":"c:1","modified_at":"2026-02-28T20:00:00.123456789-07:00"},{"name":"b:1","modified_at":"2026-03-01T00:00:00Z"},{"modified_at":"2026-01-01T02:00:00.6+02:00","name":"a:1","y":"ü"}]}"#
        )
    }

    @Test func `models with the same time keep the server's order`() throws {
        let list = #"{"models":[{"name":"z:1"},{"name":"a:1"},{"name":"m:1"}]}"#
        #expect(try merge("/api/tags", [list]) == list)
        #expect(
            try merge("/api/tags", [list, #"{"models":[{"name":"b:1"},{"name":"a:1"}]}"#])
                == #"{"models":[{"name":"z:1"},{"name":"a:1"},{"name":"m:1"},{"name":"b:1"}]}"#)
    }

    @Test func `an alias is listed behind its model, as its copy`() throws {
        let list =
            #"{"models":[{"name":"a:latest","model":"a:latest","size":1},{"name":"b:1","model":"b:1","size":2}]}"#
        #expect(
            try merge("/api/tags", [list], aliases: ["fast": "b:1", "none": "c", "b:1": "a"])
                == #"{"models":[{"name":"a:latest","model":"a:latest","size":1},{"name":"b:1","model":"b:1","size":2},{"name":"fast:latest","model":"fast:latest","size":2}]}"#
        )
        let models = #"{"object":"list","data":[{"id":"a:latest","created":5},{"id":"b:1","created":7.0}]}"#
        #expect(
            try merge("/v1/models", [models, #"{"object":"list","data":null}"#], aliases: ["z": "a"])
                == #"{"object":"list","data":[{"id":"b:1","created":7.0},{"id":"a:latest","created":5},{"id":"z:latest","created":5}]}"#
                + "\n")
    }

    @Test func `what is no list is left out, and nothing but that is an error`() throws {
        #expect(try merge("/api/ps", ["nonsense", #"{"models":[]}"#, #"{"models":5}"#, "[]"]) == #"{"models":[]}"#)
        #expect(throws: UpstreamError.self) { try merge("/api/ps", ["nonsense", "{}"]) }
        #expect(MergedCatalogue(path: "/api/version") == nil)
    }
}
