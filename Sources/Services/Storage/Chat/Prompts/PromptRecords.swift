package import GatewayAPI

/// The user's prompts in either kind of store; see ``PromptStore``.
///
/// Methods throw ``StorageError``, and a shared database's own error while it is away.
package protocol PromptRecords: Sendable {
    /// Returns the latest version of every prompt, by id.
    func all() async throws -> [StoredPrompt]
    /// Returns the versions of a prompt, latest first; empty for an unknown one.
    func versions(of id: String) async throws -> [StoredPrompt]
    func latest(_ id: String) async throws -> StoredPrompt?
    /// Stores a version; returns the latest one unchanged when its hash is equal.
    func save(
        _ id: String, document: String, hash: String, base: String?, original: String?
    ) async throws -> StoredPrompt
    /// Deletes a prompt with its versions; returns false when there is none.
    func delete(_ id: String) async throws -> Bool
}

/// The benchmarks of models in either kind of store; see ``BenchStore``.
package protocol BenchRecords: Sendable {
    /// Stores a run and deletes the oldest beyond ``BenchStore/maxRuns``.
    func add(_ run: NewBenchRun) async throws -> BenchRun
    /// Returns all runs without their reports, latest first.
    func all() async throws -> [BenchRun]
    /// Returns a run with its report.
    func find(_ id: Int64) async throws -> BenchRun
    /// Deletes a run; returns false when there is none.
    func delete(_ id: Int64) async throws -> Bool
}

extension PromptStore: PromptRecords {}
extension BenchStore: BenchRecords {}

extension BenchStore {
    /// The report of a run as it is stored.
    ///
    /// - Throws: ``StorageError/Code/invalid`` above ``maxReportBytes``.
    package static func text(of run: NewBenchRun) throws(StorageError) -> String {
        let report = String(decoding: run.report.json, as: UTF8.self)
        guard report.utf8.count <= maxReportBytes else {
            throw StorageError(.invalid, "field \"report\": is longer than \(maxReportBytes) bytes")
        }
        return report
    }

    /// The error of a run that does not exist.
    package static func missing(_ id: Int64) -> StorageError {
        StorageError(.notFound, "there is no benchmark \(id)")
    }
}

extension PromptStore {
    /// Checks that a version may follow the latest one.
    ///
    /// - Parameters:
    ///   - base: The beginning of the hash that the latest version must have; nil for any.
    ///   - original: The hash of the prompt before its first stored version; nil when there is none.
    ///   - count: The number of prompts.
    /// - Throws: ``StorageError/Code/conflict``.
    package static func check(
        _ id: String, after latest: StoredPrompt?, base: String?, original: String?, count: Int
    ) throws(StorageError) {
        if let base {
            guard let current = latest?.hash ?? original, !base.isEmpty, current.hasPrefix(base) else {
                throw StorageError(
                    .conflict, "the prompt \"\(id)\" has changed since version \(base); read it and edit it again")
            }
        }
        guard latest != nil || count < maxPrompts else {
            throw StorageError(.conflict, "there are \(maxPrompts) own prompts, which is the limit")
        }
    }
}
