import GatewayClient

/// The error that a call throws; nil when it throws none, or another one.
func clientError(_ call: () async throws -> Void) async -> GatewayClientError? {
    do {
        try await call()
        return nil
    } catch {
        return error as? GatewayClientError
    }
}
