/// The account that a job's embedding calls are charged to.
public struct EmbeddingAccount: Sendable {
    /// Throws when the account may not embed more. Called before each batch.
    public var check: @Sendable () async throws -> Void
    /// Charges tokens that the model read, including those of abandoned calls.
    public var charge: @Sendable (_ tokens: Int) -> Void

    /// Creates an account.
    public init(
        check: @escaping @Sendable () async throws -> Void, charge: @escaping @Sendable (_ tokens: Int) -> Void
    ) {
        self.check = check
        self.charge = charge
    }
}
