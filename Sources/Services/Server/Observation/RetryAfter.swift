import HTTPTypes

extension GatewayError {
    /// The error with a time to try again, when it is of a kind that passes and does not say one itself.
    func retriable(after seconds: @autoclosure () -> Int) -> GatewayError {
        guard status.code == 429 || status.code == 503, headers[.retryAfter] == nil else { return self }
        var error = self
        error.headers[.retryAfter] = String(seconds())
        return error
    }
}
