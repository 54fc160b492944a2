import Gateway
import Storage

/// A read-only check of one subject.
struct Check: Sendable {
    /// The subject: one or two words.
    var name: String
    /// Whether it reads whole tables or files.
    var isSlow = false
    /// Runs the check; a thrown error becomes a finding.
    var run: @Sendable () async throws -> [Finding]

    /// Runs the check and returns its findings. A check that fails returns a problem with the error.
    ///
    /// - Throws: `CancellationError`, ``StorageError`` for a database of a newer version.
    func findings() async throws -> [Finding] {
        do {
            return try await run()
        } catch let error as CancellationError {
            throw error
        } catch let error as StorageError where error.code == .newerVersion {
            throw error
        } catch let error as StorageError {
            return [.problem(name, error.message, remedy: "fix this error, then run selene doctor again")]
        } catch {
            return [
                .problem(name, "the check failed: \(error)", remedy: "fix this error, then run selene doctor again")
            ]
        }
    }
}
