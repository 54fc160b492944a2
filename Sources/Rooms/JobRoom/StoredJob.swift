package import Database
package import GatewayAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A job with its server-side fields.
package struct StoredJob: Sendable, Hashable {
    package var job: Job
    /// The job's parameters as JSON.
    package var parameters: String
    /// The key that started the job and is charged for its tokens; nil for none.
    package var keyID: Int64?

    package var id: Int64 { job.id }

    package init(job: Job, parameters: String, keyID: Int64?) {
        (self.job, self.parameters, self.keyID) = (job, parameters, keyID)
    }

    /// The columns that ``init(_:)`` reads, in their order.
    static let columns = """
        id, kind, state, parameters, done, total, failed, message, revision, created_at, started_at, finished_at, key_id
        """

    /// Reads a row; nil when it has no id, or a kind or state unknown to this version.
    init?(_ row: SQLRow) {
        guard let id = row.integer(0), let kind = row.text(1).flatMap(Job.Kind.init),
            let state = row.text(2).flatMap(Job.State.init)
        else { return nil }
        self.init(
            job: Job(
                id: id, kind: kind, state: state, done: row.count(4), total: row.count(5), failed: row.count(6),
                message: row.text(7), revision: row.integer(8) ?? 0, createdAt: row.text(9) ?? "",
                startedAt: row.text(10), finishedAt: row.text(11)),
            parameters: row.text(3) ?? "", keyID: row.integer(12))
    }

    /// Decodes the stored parameters of the job.
    ///
    /// - Throws: ``StorageError`` with ``StorageError/Code/failed`` when they are not JSON of this type.
    package func decodedParameters<Value: Decodable>(as type: Value.Type) throws(StorageError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(parameters.utf8))
        } catch {
            throw StorageError(.failed, "the parameters of job \(id) cannot be read")
        }
    }
}

/// The progress of a job.
package struct JobProgress: Sendable, Hashable {
    /// Units done.
    package var done: Int
    /// All units.
    package var total: Int
    /// Units that failed.
    package var failed: Int
    /// A readable sentence.
    package var message: String?

    package init(done: Int, total: Int, failed: Int = 0, message: String? = nil) {
        (self.done, self.total, self.failed, self.message) = (done, total, failed, message)
    }
}
