import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import Storage
import Synchronization
import TestSupport
import Testing

/// A server whose index file is cut or overwritten while it answers: it goes on, every answer is right, and the file is
/// written anew.
@Suite(.serialized) struct IndexFileChanges {
    /// Counts rounds of queries until they are over.
    final class Rounds: Sendable {
        private let state = Mutex((count: 0, isOver: false))
        var count: Int { state.withLock { $0.count } }
        var isOver: Bool { state.withLock { $0.isOver } }
        func add() { state.withLock { $0.count += 1 } }
        func end() { state.withLock { $0.isOver = true } }
    }

    static let queries = [
        ("/api/notes/retrieve", #"{"query":"tide 7 and bread","mode":"keyword","limit":20}"#),
        ("/api/notes/retrieve", #"{"keywords":["ide 11"],"limit":50}"#),
        ("/api/notes/retrieve", #"{"query":"about the sea","mode":"vector","limit":20}"#),
        ("/api/notes/retrieve", #"{"query":"tide and moon","limit":20,"diversity":0.4}"#),
    ]

    /// Ids and scores of all queries and of the notes nearest to one.
    private func answers(_ server: ServeProcess) async throws -> [String] {
        var answers: [String] = []
        for (path, body) in Self.queries { answers.append(try Self.results(await server.request("POST", path, body))) }
        answers.append(try Self.results(await server.request("GET", "/api/notes/77/related?limit=20")))
        return answers
    }

    private static func results(_ reply: LiveGateway.Reply) throws -> String {
        try #require(reply.status == 200, "\(reply.text)")
        let results = try #require(reply.object["results"] as? [[String: Any]], "\(reply.text)")
        let source = reply.object["source"] as? String ?? ""
        // Searches that share a pass may round their last bits differently.
        return source
            + results.map { " \($0["id"] ?? ""):" + String(format: "%.4f", $0["score"] as? Double ?? -1) }.joined()
    }

    private func damages(of bytes: Data) -> [(name: String, happen: @Sendable (FileHandle) throws -> Void)] {
        @Sendable func noise(_ count: Int, _ seed: UInt8) -> Data {
            Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167) ^ seed })
        }
        return [
            ("emptied", { try $0.truncate(atOffset: 0) }),
            ("cut in the middle", { try $0.truncate(atOffset: UInt64(bytes.count / 3)) }),
            ("overwritten with other bytes", { try $0.write(contentsOf: noise(bytes.count, 9)) }),
            (
                "vectors overwritten, header and length as before",
                {
                    try $0.seek(toOffset: UInt64(bytes.count / 2))
                    try $0.write(contentsOf: noise(bytes.count / 2, 77))
                }
            ),
            (
                "copied over in place, piece by piece",
                { file in
                    try file.truncate(atOffset: 0)
                    for start in stride(from: 0, to: bytes.count, by: 1 << 18) {
                        try file.write(contentsOf: bytes[start..<min(bytes.count, start + 1 << 18)])
                    }
                }
            ),
        ]
    }

    private func inode(_ path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.systemFileNumber] as? Int
    }

    @Test(.slow) func `every answer is right while the file is cut and overwritten, and another file is written`()
        async throws
    {
        try await FakeOllama.withServer { fake in
            let home = try SeleneHome()
            let environment = ["OLLAMA_HOST": fake.baseURL, "SELENE_BACKFILL": "off"]
            let database = try GatewayDatabase(path: home.database)
            _ = try await database.notes.insert(
                (0..<1000).map {
                    NoteDraft(
                        title: "note \($0)",
                        content: "tide \($0 % 13) and bread \($0 % 7), moon \($0 % 5) over sea \($0)",
                        externalID: "\($0)")
                })
            #expect(try await home.run(["backfill"], environment).status == 0)
            #expect(try await home.run(["index", "build"], environment).status == 0)
            let path = home.database + ".index/space-1.index"
            // Far more than a page of everything.
            try #require(try Data(contentsOf: URL(filePath: path)).count > 1 << 20)

            try await ServeProcess.with(environment, home: home) { server in
                let expected = try await answers(server)
                #expect(Set(expected).count == expected.count)
                for (name, happen) in damages(of: try Data(contentsOf: URL(filePath: path))) {
                    let before = try #require(inode(path))
                    let asked = Rounds()
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for _ in 0..<3 {
                            group.addTask {
                                while !asked.isOver {
                                    let found = try await answers(server)
                                    #expect(found == expected, "\(name)")
                                    asked.add()
                                }
                            }
                        }
                        group.addTask {
                            defer { asked.end() }
                            func rounds(_ count: Int) async throws {
                                let goal = asked.count + count
                                try await waitUntil(within: .seconds(120)) { asked.count >= goal }
                            }
                            try await rounds(3)
                            let file = try FileHandle(forUpdating: URL(filePath: path))
                            try happen(file)
                            try file.close()
                            try await rounds(6)
                            try await waitUntil(within: .seconds(60)) { self.inode(path) != before }
                            // The new file answers, too.
                            try await rounds(6)
                        }
                        try await group.waitForAll()
                    }
                    #expect(server.process.isRunning)
                    let status = try await home.run(["index", "status", "--json"], environment)
                    #expect(status.output.contains(#""notes_beyond_file":0"#), "\(name): \(status.output)")
                }
            }
        }
    }
}
