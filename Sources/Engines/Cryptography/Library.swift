#if !canImport(CryptoKit)
import CCrypto

/// What libcrypto hands out once for all calls: to find an algorithm by its name takes longer than a short hash.
enum Library {
    // SAFETY: made once, never changed nor freed; libcrypto lets any number of threads use it.
    nonisolated(unsafe) static let sha256 = unsafe made { unsafe EVP_MD_fetch(nil, "SHA256", nil) }
    // SAFETY: as above.
    nonisolated(unsafe) static let sha1 = unsafe made { unsafe EVP_MD_fetch(nil, "SHA1", nil) }
    // SAFETY: as above.
    nonisolated(unsafe) static let aes128 = unsafe made { unsafe EVP_CIPHER_fetch(nil, "AES-128-GCM", nil) }
    // SAFETY: as above.
    nonisolated(unsafe) static let aes256 = unsafe made { unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) }
    // SAFETY: as above.
    nonisolated(unsafe) static let p256 = unsafe made { unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) }

    private static func made(_ make: () -> OpaquePointer?) -> OpaquePointer? {
        // By default libcrypto frees its state when the process calls `exit`, while other threads may still use it. The
        // first caller in the process decides, which may be libcurl.
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
        return unsafe make()
    }
}

/// Secret bytes, overwritten when nobody needs them any more.
// SAFETY: the bytes are written once, in `init`.
@safe final class Secret: @unchecked Sendable {
    let bytes: UnsafeBufferPointer<UInt8>

    /// Makes zeros, which the closure overwrites.
    init(count: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count)
        unsafe buffer.initialize(repeating: 0)
        unsafe fill(buffer)
        unsafe bytes = UnsafeBufferPointer(buffer)
    }

    convenience init(copying bytes: UnsafeRawBufferPointer) {
        unsafe self.init(count: bytes.count) { unsafe UnsafeMutableRawBufferPointer($0).copyMemory(from: bytes) }
    }

    static func random(count: Int) -> Secret {
        unsafe Secret(count: count) { buffer in
            let succeeded = unsafe RAND_priv_bytes(buffer.baseAddress, Int32(buffer.count)) == 1
            precondition(succeeded, "libcrypto has no random numbers")
        }
    }

    deinit {
        let buffer = unsafe UnsafeMutableBufferPointer(mutating: bytes)
        unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)
        unsafe buffer.deallocate()
    }
}
#endif
