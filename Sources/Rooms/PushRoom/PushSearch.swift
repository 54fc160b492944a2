import Database
import GatewayAPI
import Text

/// A search in the titles and texts of messages, in any case.
struct PushSearch {
    /// Messages in memory at once.
    private static let batch = 500
    /// The texts of a message that a search looks at.
    private static let texts = ["title", "subtitle", "body"]

    private let needle: FoldedNeedle

    init(_ text: String) { needle = FoldedNeedle(folded: TextFolding.folded(text)) }

    /// The rows of the newest deliveries whose message contains the text.
    ///
    /// - Parameter conditions: What holds for the delivery `v` and the message `m` as well.
    func deliveries(
        _ conditions: [String], _ parameters: SQLParameters, limit: Int, _ session: any SQLSession
    ) throws -> [Int64] {
        var known: [Int64: Bool] = [:]
        var found: [Int64] = []
        var before = Int64.max
        while true {
            var parameters = parameters
            let all = conditions + ["v.id < \(parameters.add(.integer(before)))"]
            let rows = try session.rows(
                """
                SELECT v.id, m.id, \(session.dialect.bounded("m.body", StoredPushMessage.maxBody))
                FROM gateway_push_deliveries v JOIN gateway_push_messages m ON m.id = v.message_id
                WHERE \(all.joined(separator: " AND ")) ORDER BY v.id DESC LIMIT \(Self.batch)
                """, parameters.values)
            for row in rows {
                guard let delivery = row.integer(0), let message = row.integer(1) else { continue }
                let isFound = known[message] ?? isIn(row.bytes(2))
                known[message] = isFound
                if isFound { found.append(delivery) }
                if found.count == limit { return found }
            }
            guard rows.count == Self.batch, let last = rows.last?.integer(0) else { return found }
            before = last
        }
    }

    private func isIn(_ body: [UInt8]?) -> Bool {
        guard let body, case .object(let message)? = try? JSONDocument(parsing: body).value else { return false }
        return Self.texts.contains { name in
            if case .string(let text)? = message[name] { needle.isIn(text) } else { false }
        }
    }
}
