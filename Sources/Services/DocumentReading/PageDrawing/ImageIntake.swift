/// What came from a process that draws.
struct ImageIntake: Equatable {
    enum Outcome: Equatable {
        /// The output ended by itself.
        case complete
        /// More bytes than the limit.
        case tooLong
        /// The time was over.
        case late
    }

    /// The first bytes of a PNG image.
    static let mark: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    var outcome: Outcome
    var bytes: [UInt8] = []

    /// Reads to the end of the output. Blocks the thread; the process is killed unless its output ended by itself.
    static func read(_ pipe: borrowing Descriptor, _ limits: DrawingLimits, _ child: ChildProcess) -> ImageIntake {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(limits.wallSeconds)
        var bytes: [UInt8] = []
        func stop(_ outcome: Outcome) -> ImageIntake {
            child.kill()
            return ImageIntake(outcome: outcome)
        }
        while true {
            let left = clock.now.duration(to: deadline)
            guard left > .zero else { return stop(.late) }
            let milliseconds = Int(clamping: left.components.seconds.multipliedReportingOverflow(by: 1000).partialValue)
            guard pipe.waitForBytes(milliseconds: min(60_000, milliseconds + 1)) else { continue }
            guard let more = pipe.read(upTo: 256 << 10) else { return stop(.late) }
            if more.isEmpty { return ImageIntake(outcome: .complete, bytes: bytes) }
            guard more.count <= limits.imageBytes - bytes.count else { return stop(.tooLong) }
            bytes += more
        }
    }
}
