package import GatewayAPI
import HTTPTypes
package import Hummingbird
package import Server
import Synchronization

/// `GET /api/admin/doctor`: the findings of `selene doctor`. One examination runs at a time.
package struct DoctorRoute: Sendable {
    /// Runs the checks, with or without the slow ones.
    package typealias Examination = @Sendable (_ isDeep: Bool) async throws -> [DoctorFinding]

    /// The maximum time of an examination, and of one with the slow checks.
    static let limits = (plain: Duration.seconds(30), deep: Duration.seconds(300))

    private let examine: Examination?
    private let turn = Turn()

    /// - Parameter examine: Nil when the program that runs the gateway has no checks.
    package init(_ examine: Examination?) { self.examine = examine }

    /// Examines and answers with the findings.
    package func handle(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let isDeep = try request.flag("deep")
        guard let examine else {
            throw GatewayError(
                .serviceUnavailable, .init(rawValue: "no_doctor"), "this program has no checks; run selene doctor",
                headers: [.retryAfter: "3600"])
        }
        guard turn.take() else {
            throw GatewayError(
                .tooManyRequests, .overloaded, "an examination runs already", headers: [.retryAfter: "5"])
        }
        defer { turn.giveBack() }
        let limit = isDeep ? Self.limits.deep : Self.limits.plain
        let findings = try await context.client.whilePresent {
            try await Self.within(limit) { try await examine(isDeep) }
        }
        return JSONReply.response(DoctorReport(isDeep: isDeep, findings: findings))
    }

    private static func within<Value: Sendable>(
        _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(for: limit)
                throw GatewayError(
                    .serviceUnavailable, .overloaded, "the checks took longer than \(limit); run selene doctor",
                    headers: [.retryAfter: "60"])
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }

    private final class Turn: Sendable {
        private let isTaken = Mutex(false)

        func take() -> Bool {
            isTaken.withLock { isTaken in
                defer { isTaken = true }
                return !isTaken
            }
        }

        func giveBack() { isTaken.withLock { $0 = false } }
    }
}
