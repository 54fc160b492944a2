/// The account that a job's embedding calls are charged to.
package struct EmbeddingAccount: Sendable {
    /// Throws when the account may not embed more. Called before each batch.
    package var check: @Sendable () async throws -> Void
    /// Charges tokens that the model read, including those of abandoned calls.
    package var charge: @Sendable (_ tokens: Int, _ model: String) -> Void

    package init(
        check: @escaping @Sendable () async throws -> Void,
        charge: @escaping @Sendable (_ tokens: Int, _ model: String) -> Void
    ) {
        self.check = check
        self.charge = charge
    }
}
