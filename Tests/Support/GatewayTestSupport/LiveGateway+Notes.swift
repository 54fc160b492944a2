import Foundation
import Storage

extension LiveGateway {
    /// Runs a test with a gateway that has three notes, two of them in threads.
    package static func withThreeNotes(
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
    /// The ids of the objects of a list, by the list's name.
    package func ids(_ list: String) -> [Int] { objects(list).compactMap { $0["id"] as? Int } }

    /// The objects of a list, by the list's name.
    package func objects(_ list: String) -> [[String: Any]] { object[list] as? [[String: Any]] ?? [] }
}

extension LiveGateway {
    /// A reply with another status than the one that the test needs to go on.
    package struct UnexpectedStatus: Error, CustomStringConvertible {
        package var description: String
        package init(description: String) { self.description = description }
    }

    /// Sends a request that has to be answered with `status`, and throws `UnexpectedStatus` when it is not.
    @discardableResult
    package func done(
        _ method: String, _ path: String, _ body: String? = nil, _ status: Int = 200
    ) async throws -> Reply {
        let reply = try await request(method, path, body)
        guard reply.status == status else {
            throw UnexpectedStatus(description: "\(method) \(path): \(reply.status) \(reply.text)")
        }
        return reply
    }
}
