/// Follows the borders of the frames that an HTTP/2 client sends, whatever the parts in which they arrive.
///
/// It knows whether the client owes the rest of something that holds up the connection: of the preface, of a frame
/// other than DATA, or of a header block. A body may arrive slowly; its pace is checked for each request.
struct FrameProgress {
    /// The bytes with which a client begins (RFC 9113, 3.4). The codec checks their values.
    static let prefaceBytes = 24
    private static let headBytes = 9
    private static let data: UInt8 = 0
    private static let headers: UInt8 = 1
    private static let continuation: UInt8 = 9
    private static let endHeaders: UInt8 = 4

    private var preface = prefaceBytes
    /// The head of the next frame, as far as it arrived.
    private var head: [UInt8] = []
    /// Bytes of the current frame that have not arrived.
    private var rest = 0
    private var kind: UInt8 = 0
    private var isBlockOpen = false
    private var hasFrame = false
    /// Counts what was completed. While it stays the same, the client still owes the same thing.
    private(set) var completed = 0

    init() { head.reserveCapacity(Self.headBytes) }

    /// Whether the client owes the rest of the preface, of a frame other than DATA, or of a header block.
    var isWaiting: Bool {
        preface > 0 || !hasFrame || !head.isEmpty || isBlockOpen || (rest > 0 && kind != Self.data)
    }

    /// Takes bytes in their order.
    mutating func take(_ bytes: some RandomAccessCollection<UInt8>) {
        var bytes = bytes[...]
        if preface > 0 {
            let part = min(preface, bytes.count)
            preface -= part
            bytes = bytes.dropFirst(part)
            if preface == 0 { completed &+= 1 }
        }
        while !bytes.isEmpty {
            if rest > 0 {
                let part = min(rest, bytes.count)
                rest -= part
                bytes = bytes.dropFirst(part)
                if rest == 0 { endFrame() }
                continue
            }
            let part = min(Self.headBytes - head.count, bytes.count)
            head.append(contentsOf: bytes.prefix(part))
            bytes = bytes.dropFirst(part)
            if head.count == Self.headBytes { beginFrame() }
        }
    }

    private mutating func beginFrame() {
        rest = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        kind = head[3]
        let endsBlock = head[4] & Self.endHeaders != 0
        head.removeAll(keepingCapacity: true)
        // A block is over with the end of its last frame.
        if kind == Self.headers || kind == Self.continuation { isBlockOpen = !endsBlock }
        if rest == 0 { endFrame() }
    }

    private mutating func endFrame() {
        hasFrame = true
        if !isBlockOpen { completed &+= 1 }
    }
}
