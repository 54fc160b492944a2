/// Who pays for what a backfill embeds.
public struct BackfillAccount: Sendable {
    /// Refuses, by throwing, to embed anything more. Asked before each batch.
    public var check: @Sendable () async throws -> Void
    /// Charges tokens that the model read, also for a call that nobody waited for.
    public var charge: @Sendable (_ tokens: Int) -> Void

    /// Creates an account.
    public init(
        check: @escaping @Sendable () async throws -> Void, charge: @escaping @Sendable (_ tokens: Int) -> Void
    ) {
        self.check = check
        self.charge = charge
    }
}
