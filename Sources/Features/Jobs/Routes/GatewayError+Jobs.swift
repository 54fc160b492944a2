import HTTPTypes
import Server

extension GatewayError {
    /// How an error of the runner looks in HTTP; nil for any other.
    package init?(jobs error: any Error) {
        guard error is JobsAreStopping else { return nil }
        self.init(.serviceUnavailable, .shuttingDown, "the gateway is shutting down")
    }
}
