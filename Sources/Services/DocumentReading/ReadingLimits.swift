package import Documents

/// What a process that reads one document may use. One that uses more is ended.
package struct ReadingLimits: Sendable, Hashable, Codable {
    /// Memory for data in bytes (`RLIMIT_DATA`). macOS does not enforce it.
    package var memoryBytes = 2 << 30
    /// Processor time in seconds.
    package var cpuSeconds = 300
    /// Time from the start to the end in seconds.
    package var wallSeconds = 900.0
    /// The longest message from the process in bytes.
    package var messageBytes = 512 << 20
    /// The limits of the document itself.
    package var document = DocumentLimits()

    package init() {}
}
