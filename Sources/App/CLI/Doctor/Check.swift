import Gateway
import Storage

/// One look at something; it changes nothing.
struct Check: Sendable {
    /// What is looked at.
    var name: String
    /// Looks. An error is a finding, too.
    var run: @Sendable () async throws -> [Finding]

    /// The findings, one that says so when the look itself failed.
    ///
    /// - Throws: `CancellationError`.
    func findings() async throws -> [Finding] {
        do {
            return try await run()
        } catch let error as CancellationError {
            throw error
        } catch let error as StorageError where error.code == .newerVersion {
            throw error
        } catch let error as StorageError {
            return [.problem(name, error.message, remedy: "see the message; then run selene doctor again")]
        } catch {
            return [
                .problem(name, "cannot be checked: \(error)", remedy: "see the message; then run selene doctor again")
            ]
        }
    }
}
