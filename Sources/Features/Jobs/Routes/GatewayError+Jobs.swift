import HTTPTypes
import Server

extension GatewayError {
    /// Maps an error of the job runner to HTTP; nil for any other error.
    package init?(jobs error: any Error) {
        guard error is JobsAreStopping else { return nil }
        self.init(.serviceUnavailable, .shuttingDown, "the gateway is shutting down")
    }
}
