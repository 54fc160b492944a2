import Database
import GatewayAPI
import Text

/// A search in the titles and texts of messages, in any case, the same in both engines.
///
/// It walks deliveries without their messages, and reads each message once, as many at a time as fit into ``batchBytes``.
struct PushSearch {
    /// Deliveries of one read.
    private static let deliveries = 1000
    /// The bytes of messages in memory at once, at least one message.
    static let batchBytes = 256 << 10
    /// Messages of one read.
    private static let batch = 200
    /// The texts of a message that a search looks at.
    private static let texts = ["title", "subtitle", "body"]

    private let needle: FoldedNeedle

    init(_ text: String) { needle = FoldedNeedle(folded: TextFolding.folded(text)) }

    /// A delivery whose message a search may look at.
    private struct Candidate {
        var delivery: Int64
        var message: Int64
        /// The bytes of the message.
        var bytes: Int
    }

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
                SELECT v.id, m.id, length(m.body)
                FROM gateway_push_deliveries v JOIN gateway_push_messages m ON m.id = v.message_id
                WHERE \(all.joined(separator: " AND ")) ORDER BY v.id DESC LIMIT \(Self.deliveries)
                """, parameters.values)
            let candidates = rows.compactMap { row -> Candidate? in
                guard let delivery = row.integer(0), let message = row.integer(1) else { return nil }
                return Candidate(delivery: delivery, message: message, bytes: row.count(2))
            }
            for (place, candidate) in candidates.enumerated() {
                if known[candidate.message] == nil { try read(candidates[place...], into: &known, session) }
                if known[candidate.message] == true { found.append(candidate.delivery) }
                if found.count == limit { return found }
            }
            guard rows.count == Self.deliveries, let last = rows.last?.integer(0) else { return found }
            before = last
        }
    }

    /// Reads the next messages that are not known, the first one in any case.
    private func read(
        _ candidates: ArraySlice<Candidate>, into known: inout [Int64: Bool], _ session: any SQLSession
    ) throws {
        var bytes = 0
        var messages: Set<Int64> = []
        for candidate in candidates where known[candidate.message] == nil && !messages.contains(candidate.message) {
            bytes += min(candidate.bytes, StoredPushMessage.maxBody)
            guard messages.isEmpty || bytes <= Self.batchBytes && messages.count < Self.batch else { break }
            messages.insert(candidate.message)
        }
        for message in messages { known[message] = false }
        let words = session.dialect
        try session.each(
            """
            SELECT m.id, \(words.bounded("m.body", StoredPushMessage.maxBody)) FROM gateway_push_messages m
            WHERE m.id IN \(words.numbers("$1"))
            """, [.numbers(messages)]
        ) { row in
            if let message = row.integer(0) { known[message] = isIn(row.bytes(1)) }
        }
    }

    private func isIn(_ body: [UInt8]?) -> Bool {
        guard let body, case .object(let message)? = try? JSONDocument(parsing: body).value else { return false }
        return Self.texts.contains { name in
            if case .string(let text)? = message[name] { needle.isIn(text) } else { false }
        }
    }
}
