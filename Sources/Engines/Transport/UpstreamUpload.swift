package import NIOCore
import Synchronization

/// A request body that is sent while it arrives, through a bounded buffer.
///
/// One party writes, the transport reads. A full buffer stops the writer and calls it back when there is room. An empty
/// buffer makes libcurl wait until the writer has more.
package final class UpstreamUpload: Sendable {
    /// The body's length; nil sends it chunked.
    package let length: Int?
    private let highWatermark: Int
    private let state = Mutex(State())

    fileprivate struct State {
        var buffers: CircularBuffer<ByteBuffer> = []
        var bytes = 0
        var isFinished = false
        var readerWaits = false
        var wakeReader: (@Sendable () -> Void)?
        var writerWaits: (@Sendable () -> Void)?
    }

    /// Creates an upload whose buffer holds about `highWatermark` bytes.
    package init(length: Int?, highWatermark: Int = 256 << 10) {
        self.length = length
        self.highWatermark = highWatermark
    }

    /// Adds bytes.
    ///
    /// - Parameter onRoom: Called once when a full buffer has room again, on the thread that works on the transfers.
    /// - Returns: Whether there is room for more now. If not, the writer waits for `onRoom`.
    package func write(_ bytes: ByteBuffer, onRoom: @escaping @Sendable () -> Void) -> Bool {
        let (hasRoom, wake) = state.withLock { state in
            if bytes.readableBytes > 0 {
                state.buffers.append(bytes)
                state.bytes += bytes.readableBytes
            }
            let hasRoom = state.bytes < highWatermark
            if !hasRoom { state.writerWaits = onRoom }
            return (hasRoom, state.takeWaitingReader())
        }
        wake?()
        return hasRoom
    }

    /// Ends the body.
    package func finish() {
        let wake = state.withLock { state in
            state.isFinished = true
            return state.takeWaitingReader()
        }
        wake?()
    }

    // MARK: The loop

    /// Whether the reader found the buffer empty and waits for the writer.
    var isStarved: Bool { state.withLock { $0.readerWaits } }

    /// Sets the callback that wakes the reader when there is something to read.
    func attach(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wakeReader = wake } }

    /// Copies buffered bytes into the reader's memory. Returns the number of bytes, 0 at the end, nil when the reader
    /// must wait.
    func read(into target: UnsafeMutableRawBufferPointer) -> Int? {
        let address = UInt(bitPattern: target.baseAddress)
        let capacity = target.count
        let (count, wake) = state.withLock { state -> (Int?, (@Sendable () -> Void)?) in
            // The lock's closure may not capture a pointer, so it captures the address.
            let target = unsafe UnsafeMutableRawBufferPointer(
                start: UnsafeMutableRawPointer(bitPattern: address), count: capacity)
            let count = unsafe state.copy(into: target)
            guard count > 0 else {
                state.readerWaits = !state.isFinished
                return (state.isFinished ? 0 : nil, nil)
            }
            guard state.bytes < highWatermark / 2 else { return (count, nil) }
            defer { state.writerWaits = nil }
            return (count, state.writerWaits)
        }
        wake?()
        return count
    }
}

extension UpstreamUpload.State {
    fileprivate mutating func takeWaitingReader() -> (@Sendable () -> Void)? {
        guard readerWaits else { return nil }
        readerWaits = false
        return wakeReader
    }

    fileprivate mutating func copy(into target: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        while filled < target.count, var buffer = buffers.popFirst() {
            let count = min(buffer.readableBytes, target.count - filled)
            unsafe buffer.withUnsafeReadableBytes { source in
                let part = unsafe UnsafeRawBufferPointer(rebasing: source[..<count])
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[filled...]).copyMemory(from: part)
            }
            filled += count
            buffer.moveReaderIndex(forwardBy: count)
            if buffer.readableBytes > 0 { buffers.prepend(buffer) }
        }
        bytes -= filled
        return filled
    }
}
