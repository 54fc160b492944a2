import HTTPTypes
import NIOCore
import Server

/// The body of a proxied request as far as it came: in memory while it is small, then on disk. A value on the client's
/// event loop; its exchange releases its shares.
struct ProxyRequestBody {
    /// Bytes of a body that are collected in memory before the rest goes to disk, or is sent while it comes.
    static let collectLimit = 64 << 10

    /// The body, or its beginning.
    var collected = ByteBuffer()
    /// Bytes that are collected before the rest goes elsewhere.
    var collectLimit: Int
    /// Bytes that came.
    private(set) var count = 0
    /// The rest of a large body.
    private(set) var spool: BodySpool?
    /// The largest body; nil for any.
    private let limit: Int?
    private let limits: BodyLimits
    private var memoryShare = BodyShare()
    private var diskShare = BodyShare()

    init(kind: ProxyPolicy.Kind, limits: BodyLimits) {
        self.limits = limits
        limit = ProxyPolicy.bodyLimit(of: kind)
        // A body of a route with a small limit is always collected whole.
        collectLimit = kind == .catalogue ? ProxyPolicy.catalogueBodyLimit : Self.collectLimit
    }

    /// Whether more was collected than the limit of what is kept in memory.
    var isFull: Bool { collected.readableBytes > collectLimit }

    /// Whether nothing waits to be written to disk.
    var isStored: Bool { spool?.isWritten ?? true }

    /// Refuses a body that announces too many bytes.
    ///
    /// - Throws: ``GatewayError`` with 413.
    func check(length: Int?) throws(GatewayError) {
        guard let limit, let length, length > limit else { return }
        throw GatewayError(
            .contentTooLarge, .tooLarge, "the body is larger than \(limit) bytes", headers: [.connection: "close"])
    }

    /// Counts bytes that came.
    ///
    /// - Throws: ``GatewayError`` with 413 when these are too many.
    mutating func receive(_ bytes: Int) throws(GatewayError) {
        count += bytes
        try check(length: count)
    }

    /// Keeps bytes in memory.
    ///
    /// - Throws: ``GatewayError`` with 503 when the bodies of all requests, or of this holder, have no room.
    mutating func collect(_ bytes: ByteBuffer, of holder: String) throws(GatewayError) {
        try memoryShare.grow(by: bytes.readableBytes, of: holder, in: limits.memory)
        var bytes = bytes
        if collected.readableBytes == 0 { collected = bytes } else { collected.writeBuffer(&bytes) }
    }

    /// Lets what comes from now on go to disk.
    mutating func openSpool() { spool = BodySpool(folder: limits.folder) }

    /// Hands bytes to the spool, where they wait in memory until they are written.
    ///
    /// - Throws: As ``collect(_:of:)``.
    mutating func spool(_ bytes: ByteBuffer, of holder: String) throws(GatewayError) {
        try memoryShare.grow(by: bytes.readableBytes, of: holder, in: limits.memory)
        try diskShare.grow(by: bytes.readableBytes, of: holder, in: limits.spool)
        spool?.append(bytes)
    }

    /// A write of the spool is done.
    mutating func didWrite() {
        guard let spool else { return }
        memoryShare.shrink(by: spool.didWrite(), in: limits.memory)
    }

    /// Takes the collected bytes out, to be sent.
    mutating func takeCollected() -> ByteBuffer {
        defer { collected = ByteBuffer() }
        return collected
    }

    /// Lets go of the body.
    mutating func release() {
        collected = ByteBuffer()
        spool = nil
        memoryShare.release(in: limits.memory)
        diskShare.release(in: limits.spool)
    }
}
