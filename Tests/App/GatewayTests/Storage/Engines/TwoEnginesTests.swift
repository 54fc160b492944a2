import FakeOllama
import Foundation
import GatewayTestSupport
import TestSupport
import Testing

/// A gateway over a file and one over PostgreSQL get the same requests and give the same answers.
///
/// `TEST_SEEDS=5-20` tries these seeds in place of the usual ones, and looks for the shortest list of requests of a difference.
@Suite(
    .serialized, .enabled(if: NotesPlace.usual == .file, "compares a file with a server"),
    .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct TwoEnginesTests {
    /// Operations that no request asks for.
    private static let leftOut: [(operations: String, reason: String)] = [
        (#"GET /(metrics|health|ready|readyz|ca.*|sw\.js|app.*|openapi\.yaml|)"#, "has nothing of the database"),
        (".* /api/(admin/(stats|traffic|config|doctor|events|index)|requests.*|llm/.*)", "tells of the gateway"),
        (".* /web/.*", "needs a browser"),
        (".*/(ws|events|stream|json|sse|raw|auth)", "does not end"),
        ("POST /api/goals/proposals/.*/confirm", "makes actions that are ordered by ids made by chance"),
        ("POST /(mcp|api/tools/.*|api/v1/execute|api/v1/config/apns/test|(v1|api)/rerank)", "calls others"),
        ("PUT /api/v1/triggers", "makes notifications that come later"),
        ("POST /api/jobs/(tune|evaluation)", "takes long"),
    ]

    private static let token = "a token of more than 16 bytes"

    /// Meanings of goals are compared in the background, so a run has either goals or vectors.
    private static func isLeftOut(_ operation: String, seed: Int) -> Bool {
        let isListed = leftOut.contains {
            operation.range(of: "^\($0.operations)$", options: .regularExpression) != nil
        }
        if isListed { return true }
        let path = operation.split(separator: " ").last ?? ""
        if seed % 2 == 0 { return path == "/api/jobs/backfill" }
        return ["/api/goals", "/api/actions", "/api/values", "/api/terms", "/api/measures"].contains {
            path.hasPrefix($0)
        }
    }

    private static let isAsked = ProcessInfo.processInfo.environment["TEST_SEEDS"] != nil

    private static var seeds: ClosedRange<Int> {
        let numbers =
            ProcessInfo.processInfo.environment["TEST_SEEDS"]?.split(separator: "-").compactMap { Int($0) } ?? []
        guard let first = numbers.first, let last = numbers.last, first <= last else { return 1...2 }
        return first...last
    }

    @Test(arguments: seeds) func `both engines answer random requests alike`(seed: Int) async throws {
        let steps = Array(0..<Gear.rounds(800) / 2)
        guard let found = try await difference(seed, steps) else { return }
        guard Self.isAsked else {
            Issue.record("seed \(seed), request \(found.step):\n\(found.report)")
            return
        }
        let needed = try await shortened(seed, steps.filter { $0 <= found.step })
        let last = try await difference(seed, needed) ?? found
        Issue.record("seed \(seed), requests \(needed):\n\(last.report)")
    }

    /// The requests of the first difference; others are left out while it stays.
    private func shortened(_ seed: Int, _ steps: [Int]) async throws -> [Int] {
        var (needed, size, tries) = (steps, steps.count / 2, 0)
        while size > 0, tries < 40 {
            var start = 0
            while start < needed.count - 1, tries < 40 {
                let rest = Array(needed[..<start] + needed[min(start + size, needed.count - 1)...])
                tries += 1
                if try await difference(seed, rest)?.step == steps.last { needed = rest } else { start += size }
            }
            size /= 2
        }
        return needed
    }

    /// Sends requests to two new gateways, up to the first one that they answer differently.
    private func difference(_ seed: Int, _ steps: [Int]) async throws -> (step: Int, report: String)? {
        var found: (step: Int, report: String)?
        var options = FakeOllama.Options()
        options.dimensions = 8
        try await LiveGateway.with(options, notesIn: .file, settings: ["api_token": Self.token]) { file in
            // Columns that tables of other programs have, and those of the gateway lack.
            try await file.execute("ALTER TABLE chat_sessions ADD COLUMN message_count INTEGER")
            try await file.execute("ALTER TABLE conversation_memories ADD COLUMN updated_at TEXT")
            for column in ["why", "summary"] { try await file.execute("ALTER TABLE threads ADD COLUMN \(column) TEXT") }
            try await LiveGateway.with(notesIn: .postgres, settings: ["api_token": Self.token]) { postgres in
                let text = try await file.request("GET", "/openapi.yaml").text
                let requests = try RandomRequests(text, seed: seed) { Self.isLeftOut($0, seed: seed) }
                var pair = EnginePair(file: file, postgres: postgres, token: Self.token)
                try await pair.switchOffTriggers()
                for step in steps {
                    let report = try await pair.send(requests.request(step, pair.comparison.pools))
                    guard report == nil else {
                        found = report.map { (step, $0) }
                        return
                    }
                }
            }
        }
        return found
    }
}
