/// What came from a reading process.
struct MessageIntake: Equatable {
    enum Outcome: Equatable {
        case complete
        /// The output ended before the message did.
        case ended
        /// Bytes that are no message, or more of them than the message has.
        case garbage
        /// A message that is longer than the limit.
        case tooLong
        /// The time was over.
        case late
    }

    var outcome: Outcome
    /// The message without its head.
    var body: [UInt8] = []

    var isComplete: Bool { outcome == .complete }

    /// Reads one message. Blocks the thread until the message, the end of the output or the end of the time; then the
    /// process is killed unless its output ended by itself.
    static func read(_ pipe: borrowing Descriptor, _ limits: ReadingLimits, _ child: ChildProcess) -> MessageIntake {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(limits.wallSeconds)
        var (bytes, length): ([UInt8], Int?) = ([], nil)
        func stop(_ outcome: Outcome) -> MessageIntake {
            child.kill()
            return MessageIntake(outcome: outcome)
        }
        while true {
            let left = clock.now.duration(to: deadline)
            guard left > .zero else { return stop(.late) }
            let milliseconds = Int(clamping: left.components.seconds.multipliedReportingOverflow(by: 1000).partialValue)
            guard pipe.waitForBytes(milliseconds: min(60_000, milliseconds + 1)) else { continue }
            guard let more = pipe.read(upTo: 256 << 10) else { return stop(.garbage) }
            if more.isEmpty {
                guard let length, bytes.count == length else { return MessageIntake(outcome: .ended) }
                return MessageIntake(outcome: .complete, body: bytes)
            }
            bytes += more
            if length == nil, bytes.count >= DocumentMessage.headBytes {
                guard let announced = DocumentMessage.length(bytes.prefix(DocumentMessage.headBytes)) else {
                    return stop(.garbage)
                }
                guard announced <= limits.messageBytes else { return stop(.tooLong) }
                length = announced
                bytes.removeFirst(DocumentMessage.headBytes)
            }
            if let length, bytes.count > length { return stop(.garbage) }
        }
    }
}
