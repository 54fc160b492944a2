/// The PEM files of a certificate with its chain and of its private key.
package struct TLSFiles: Sendable, Hashable {
    /// The path of the certificate, followed by its chain.
    package var certificate: String
    /// The path of the private key.
    package var key: String

    /// Takes both files or neither.
    ///
    /// - Returns: nil for neither.
    /// - Throws: ``ConfigurationError`` when one is missing.
    package init?(certificate: String?, key: String?) throws {
        switch (certificate, key) {
        case (nil, nil): return nil
        case (let certificate?, let key?): (self.certificate, self.key) = (certificate, key)
        case (_?, nil):
            throw ConfigurationError(
                message: "SELENE_TLS_CERTIFICATE is set, but SELENE_TLS_KEY is not; TLS needs both")
        case (nil, _?):
            throw ConfigurationError(
                message: "SELENE_TLS_KEY is set, but SELENE_TLS_CERTIFICATE is not; TLS needs both")
        }
    }
}
