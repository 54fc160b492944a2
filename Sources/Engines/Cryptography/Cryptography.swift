#if canImport(CryptoKit)
@_exported public import CryptoKit
#else

/// A failure, with CryptoKit's names.
package enum CryptoKitError: Error, Hashable {
    /// A key has a wrong length.
    case incorrectKeySize
    /// Bytes have a wrong length, or are no key of the curve.
    case incorrectParameterSize
    /// The tag does not fit the message: another key, another nonce, or changed bytes.
    case authenticationFailure
    /// The library cannot do it, for example for lack of memory.
    case underlyingCoreCryptoError(error: Int32)
}
#endif
