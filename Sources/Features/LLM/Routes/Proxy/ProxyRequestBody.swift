import HTTPTypes
import NIOCore
import Server

/// The received body of a proxied request: in memory up to a limit, then on disk. Used on the client's event loop only;
/// the exchange releases its budget shares.
struct ProxyRequestBody {
    /// Bytes collected in memory before the rest is spooled or sent as it arrives.
    static let collectLimit = 64 << 10

    /// The body, or its first part.
    var collected = ByteBuffer()
    /// Bytes collected before the rest is spooled or sent.
    var collectLimit: Int
    /// Bytes received.
    private(set) var count = 0
    /// The rest of a large body, on disk.
    private(set) var spool: BodySpool?
    /// The largest allowed body in bytes; nil for no limit.
    private let limit: Int?
    private let limits: BodyLimits
    private var memoryShare = BodyShare()
    private var diskShare = BodyShare()

    init(kind: ProxyPolicy.Kind, limits: BodyLimits) {
        self.limits = limits
        limit = ProxyPolicy.bodyLimit(of: kind)
        // A catalogue body has a small limit and is always collected whole.
        collectLimit = kind == .catalogue ? ProxyPolicy.catalogueBodyLimit : Self.collectLimit
    }

    /// Whether the collected part exceeds the memory limit.
    var isFull: Bool { collected.readableBytes > collectLimit }

    /// Whether no part still waits to be written to disk.
    var isStored: Bool { spool?.isWritten ?? true }

    /// Refuses a body whose announced length is too large.
    ///
    /// - Throws: ``GatewayError`` with 413.
    func check(length: Int?) throws(GatewayError) {
        guard let limit, let length, length > limit else { return }
        throw GatewayError(
            .contentTooLarge, .tooLarge, "the body is larger than \(limit) bytes", headers: [.connection: "close"])
    }

    /// Counts received bytes.
    ///
    /// - Throws: ``GatewayError`` with 413 when the body is too large.
    mutating func receive(_ bytes: Int) throws(GatewayError) {
        count += bytes
        try check(length: count)
    }

    /// Keeps bytes in memory.
    ///
    /// - Throws: ``GatewayError`` with 503 when the budget of all bodies, or of this holder, is full.
    mutating func collect(_ bytes: ByteBuffer, of holder: String) throws(GatewayError) {
        try memoryShare.grow(by: bytes.readableBytes, of: holder, in: limits.memory)
        var bytes = bytes
        if collected.readableBytes == 0 { collected = bytes } else { collected.writeBuffer(&bytes) }
    }

    /// Opens a spool for the rest of the body.
    mutating func openSpool() { spool = BodySpool(folder: limits.folder) }

    /// Adds bytes to the spool. They stay in memory until they are written.
    ///
    /// - Throws: As ``collect(_:of:)``.
    mutating func spool(_ bytes: ByteBuffer, of holder: String) throws(GatewayError) {
        try memoryShare.grow(by: bytes.readableBytes, of: holder, in: limits.memory)
        try diskShare.grow(by: bytes.readableBytes, of: holder, in: limits.spool)
        spool?.append(bytes)
    }

    /// Releases the memory of the part that the spool wrote.
    mutating func didWrite() {
        guard let spool else { return }
        memoryShare.shrink(by: spool.didWrite(), in: limits.memory)
    }

    /// Removes and returns the collected bytes, to send them.
    mutating func takeCollected() -> ByteBuffer {
        defer { collected = ByteBuffer() }
        return collected
    }

    /// Releases memory, file and budget shares.
    mutating func release() {
        collected = ByteBuffer()
        spool = nil
        memoryShare.release(in: limits.memory)
        diskShare.release(in: limits.spool)
    }
}
