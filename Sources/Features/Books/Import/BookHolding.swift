import BookRoom
import Machine

extension BookRoom {
    /// Does work on a book that a worker has claimed: gives signs of life meanwhile, and releases the book at the end.
    func holding(_ id: Int64, as worker: WorkerName, _ work: () async throws -> Void) async throws {
        let signs = Task {
            while !Task.isCancelled {
                try await Task.sleep(for: renewalInterval)
                // While the store is away, the lease is not over for others either.
                if let isHeld = try? await renew(id, as: worker), !isHeld { return }
            }
        }
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await work())
        } catch {
            outcome = .failure(error)
        }
        signs.cancel()
        // A separate task, since this one may be cancelled; otherwise nobody could go on with the book.
        await Task { try? await release(id, as: worker) }.value
        try outcome.get()
    }
}
