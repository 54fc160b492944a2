/// What drawing one page, or recognizing its text, may use. A process that uses more is ended.
package struct DrawingLimits: Sendable, Hashable {
    /// Memory for data in bytes (`RLIMIT_DATA`). macOS does not enforce it.
    package var memoryBytes = 768 << 20
    /// Processor time in seconds.
    package var cpuSeconds = 15
    /// Time from the start to the end in seconds.
    package var wallSeconds = 30.0
    /// The largest image, or the longest table of words, in bytes.
    package var imageBytes = 16 << 20

    package init() {}
}
