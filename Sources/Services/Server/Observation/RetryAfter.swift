import HTTPTypes

extension GatewayError {
    /// Returns the error with a time for a retry, if it is temporary and has none.
    func retriable(after seconds: @autoclosure () -> Int) -> GatewayError {
        guard status.code == 429 || status.code == 503, headers[.retryAfter] == nil else { return self }
        var error = self
        error.headers[.retryAfter] = String(seconds())
        return error
    }
}
