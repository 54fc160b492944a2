import KeyRoom

/// Requests that a client signs with a key of its own.
extension KeyRing {
    /// Finds the holder of the key with which a request was signed. Does not wait while the cached keys are fresh.
    ///
    /// A signature counts for its method and path, for ``SignatureUses/window`` seconds, and once; see ``SignatureUses``. A
    /// gateway remembers the uses of its own process.
    ///
    /// - Parameter address: Where the request came from.
    /// - Throws: ``StorageError`` when the keys cannot be read.
    package func find(_ request: RequestSignature, from address: ClientAddress) async throws -> Finding {
        let table = try await table()
        guard isNeeded(table) else { return .known(.anonymous) }
        var known = table.identity(of: request.key)
        // A key that another process has just created is not in the cached keys yet.
        if known == nil { known = await tableAfterMiss(table).identity(of: request.key) }
        guard let identity = known, let id = identity.keyID else {
            return .refused(.signature(.unknownKey(fingerprint: request.key.fingerprint)))
        }
        let now = clock.unixSeconds()
        guard let signedAt = request.signedAt else { return .refused(.signature(.stale(seconds: nil))) }
        let difference = now.subtractingReportingOverflow(signedAt)
        guard !difference.overflow, difference.partialValue.magnitude <= SignatureUses.window.magnitude else {
            let seconds = difference.overflow ? nil : difference.partialValue
            return .refused(.signature(.stale(seconds: seconds)))
        }
        guard request.key.signed(request.message, request.signature) else { return .refused(.signature(.invalid)) }
        guard !identity.grant.isExpired(at: now) else { return .expired(identity) }
        switch signatureUses.use(request.signature, signedAt: signedAt, of: id, from: address, now: now) {
        case .counts: return .known(identity)
        case .wasUsed: return .refused(.signature(.used))
        case .tooMany: return .refused(.rateLimited(limit: SignatureUses.maxPerKey / 2, wait: .seconds(60)))
        }
    }
}
