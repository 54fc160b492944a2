#if !canImport(CryptoKit)
import CCrypto
package import FoundationEssentials

/// The bytes of a hash or of an authentication code. `==` takes the same time wherever the bytes differ.
package struct Digest: Sequence, ContiguousBytes, Hashable, Sendable {
    @usableFromInline let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// How many bytes there are.
    @inlinable package var underestimatedCount: Int { bytes.count }

    /// The bytes in their order.
    @inlinable package func makeIterator() -> IndexingIterator<[UInt8]> { bytes.makeIterator() }

    /// Calls the closure with the bytes.
    @inlinable package func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? { unsafe try bytes.withContiguousStorageIfAvailable(body) }

    /// Calls the closure with the bytes.
    @inlinable package func withUnsafeBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result { unsafe try bytes.withUnsafeBytes(body) }

    /// Compares in constant time.
    package static func == (left: Digest, right: Digest) -> Bool {
        unsafe left.bytes.count == right.bytes.count && CRYPTO_memcmp(left.bytes, right.bytes, left.bytes.count) == 0
    }
}

/// A hash function that ``HMAC`` and ``HKDF`` can use.
package protocol HashFunction: Sendable {
    /// The bytes that the function takes at once.
    static var blockByteCount: Int { get }
    /// Begins a hash.
    init()
    /// Adds bytes.
    mutating func update(bufferPointer: UnsafeRawBufferPointer)
    /// The hash of all bytes so far. More may be added after it.
    func finalize() -> Digest
}

extension HashFunction {
    /// Adds bytes.
    @inlinable package mutating func update(data: some DataProtocol) {
        for region in data.regions { unsafe region.withUnsafeBytes { unsafe update(bufferPointer: $0) } }
    }
}

/// SHA-256 (FIPS 180-4). A copy goes on by itself.
package struct SHA256: HashFunction {
    /// 64.
    package static let blockByteCount = 64
    private var state = HashState()

    /// Begins a hash.
    package init() {}

    /// Adds bytes.
    package mutating func update(bufferPointer: UnsafeRawBufferPointer) {
        if !isKnownUniquelyReferenced(&state) { state = HashState(copying: state) }
        unsafe state.add(bufferPointer)
    }

    /// The hash of all bytes so far. More may be added after it.
    package func finalize() -> Digest { HashState(copying: state).end() }

    /// The hash of bytes.
    @inlinable package static func hash(data: some DataProtocol) -> Digest {
        if let digest = data.withContiguousStorageIfAvailable({ unsafe Self.hash(bytes: $0) }) { return digest }
        var hash = SHA256()
        hash.update(data: data)
        return hash.finalize()
    }

    @usableFromInline static func hash(bytes: UnsafeBufferPointer<UInt8>) -> Digest {
        unsafe HashState.hash(bytes, Library.sha256, 32)
    }
}

/// Functions that are broken, for formats that need them.
package enum Insecure {
    /// SHA-1 (FIPS 180-4).
    package enum SHA1 {
        /// The hash of bytes.
        package static func hash(data: some DataProtocol) -> Digest {
            let bytes = Array(data)
            return unsafe bytes.withUnsafeBufferPointer { unsafe HashState.hash($0, Library.sha1, 20) }
        }
    }
}

/// The state of a SHA-256.
// SAFETY: changed only by the `SHA256` that has the only reference; the others copy it.
@safe private final class HashState: @unchecked Sendable {
    private let context: OpaquePointer?

    init() {
        unsafe context = EVP_MD_CTX_new()
        let succeeded = unsafe EVP_DigestInit_ex2(context, Library.sha256, nil) == 1
        precondition(succeeded, "libcrypto cannot begin a SHA-256")
    }

    init(copying other: HashState) {
        unsafe context = EVP_MD_CTX_new()
        let succeeded = unsafe EVP_MD_CTX_copy_ex(context, other.context) == 1
        precondition(succeeded, "libcrypto cannot copy a SHA-256")
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    func add(_ bytes: UnsafeRawBufferPointer) {
        let succeeded = unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
        precondition(succeeded, "libcrypto cannot go on with a SHA-256")
    }

    func end() -> Digest {
        unsafe Self.digest(32) { unsafe EVP_DigestFinal_ex(context, $0, nil) }
    }

    static func hash(_ bytes: UnsafeBufferPointer<UInt8>, _ function: OpaquePointer?, _ count: Int) -> Digest {
        unsafe digest(count) { unsafe EVP_Digest(bytes.baseAddress, bytes.count, $0, nil, function, nil) }
    }

    private static func digest(_ count: Int, _ fill: (UnsafeMutablePointer<UInt8>?) -> Int32) -> Digest {
        Digest(
            unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                let succeeded = unsafe fill(buffer.baseAddress) == 1
                precondition(succeeded, "libcrypto cannot hash")
                filled = count
            })
    }
}
#endif
