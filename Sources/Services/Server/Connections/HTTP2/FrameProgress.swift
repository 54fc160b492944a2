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
    private static let windowUpdate: UInt8 = 8

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
    /// Counts WINDOW_UPDATE frames and those of types that RFC 9113 does not know, which the codec takes without limit.
    private(set) var idle = 0
    /// Counts the heads of requests.
    private(set) var requests = 0

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
        if kind == Self.headers { requests &+= 1 }
        if kind == Self.windowUpdate || kind > Self.continuation { idle &+= 1 }
        // A block is over with the end of its last frame.
        if kind == Self.headers || kind == Self.continuation { isBlockOpen = !endsBlock }
        if rest == 0 { endFrame() }
    }

    private mutating func endFrame() {
        hasFrame = true
        if !isBlockOpen { completed &+= 1 }
    }
}

/// Limits frames that cost work and carry nothing: WINDOW_UPDATE and unknown ones.
///
/// A client that takes a response sends updates of its window, and some send a frame about the priority of a request.
/// What the gateway writes and each request allow more frames than the base of ``HTTP2Limits/idleFrames`` in a window.
struct IdleFrames {
    /// Bytes of responses that allow one more frame.
    static let bytesPerFrame = 256
    /// Frames that a written frame, or a request, allows.
    static let perFrame = 4

    private let limit: Int
    private let window: Duration
    private var since: ContinuousClock.Instant
    private var count = 0
    private var credit = 0

    init(limit: Int, window: Duration, at now: ContinuousClock.Instant) {
        self.limit = limit
        self.window = window
        since = now
    }

    /// Records a frame of a response.
    mutating func wrote(_ bytes: Int) { credit = min(credit + Self.perFrame + bytes / Self.bytesPerFrame, Int.max / 4) }

    /// Records what came. Returns whether the client may go on.
    mutating func receive(_ frames: Int, requests: Int, at now: ContinuousClock.Instant) -> Bool {
        if now - since >= window { (since, count) = (now, 0) }
        credit = min(credit + requests * Self.perFrame, Int.max / 4)
        let paid = min(credit, frames)
        credit -= paid
        count += frames - paid
        return count <= limit
    }
}
