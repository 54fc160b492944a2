import FakeOllama
import Foundation
import GRDB
import Storage
import Testing

/// What tests of the notes API share.
enum NotesAPISetting {
    /// A gateway with three notes, two of them in threads.
    static func with(
        _ settings: [String: String] = [:], _ body: (LiveGateway) async throws -> Void
    ) async throws {
        try await LiveGateway.with(settings: settings) { gateway in
            let now = Int64(Date.now.timeIntervalSince1970)
            _ = try await gateway.database.notes.insert([
                NoteDraft(
                    title: "tide gauge", content: "the tide and the moon", createdAt: now - 400 * 86_400,
                    noteType: "reference", threads: ["Gauge"], tags: ["sea"]),
                NoteDraft(
                    title: "tide tables", content: "the moon again, 80%", createdAt: now - 3600, threads: ["Tables"]),
                NoteDraft(title: "bread", content: "flour, water, salt", createdAt: now, threads: ["Gauge"]),
            ])
            try await body(gateway)
        }
    }
}

extension LiveGateway.Reply {
    /// The ids of a list of objects, under whichever name the list has.
    func ids(_ list: String) -> [Int] { objects(list).compactMap { $0["id"] as? Int } }

    /// A list of objects.
    func objects(_ list: String) -> [[String: Any]] { object[list] as? [[String: Any]] ?? [] }
}

extension LiveGateway {
    /// A connection of another program's, which waits for locks as such programs do.
    func otherProgram() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        return try DatabaseQueue(path: database.path, configuration: configuration)
    }

    /// Runs SQL as another program would: through a connection of its own.
    func execute(_ sql: String) async throws {
        let other = try otherProgram()
        try await other.write { try $0.execute(sql: sql) }
        try other.close()
    }

    /// A request that has to succeed.
    @discardableResult
    func done(_ method: String, _ path: String, _ body: String? = nil, _ status: Int = 200) async throws -> Reply {
        let reply = try await request(method, path, body)
        #expect(reply.status == status, "\(method) \(path): \(reply.text)")
        return reply
    }

    /// Waits until a condition holds, ten seconds at most.
    func until(_ condition: () async throws -> Bool) async throws -> Bool {
        let end = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < end {
            if try await condition() { return true }
            await Task.yield()
        }
        return false
    }
}
