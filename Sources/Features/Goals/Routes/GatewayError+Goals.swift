import Goals
import HTTPTypes
import Server

extension GatewayError {
    /// Maps a refusal of the rules to HTTP; nil for any other error.
    package init?(goals error: any Error) {
        guard let refusal = error as? InvalidFields else { return nil }
        self.init(.badRequest, .invalidField, refusal.faults.map(\.description).joined(separator: "; "))
    }
}
