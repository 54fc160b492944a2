import ChatRun

/// What readers of a run get: its log, and who waits for more of it.
struct RunFeed {
    private(set) var log: RunLog
    var readers = RunReaders()

    init(_ log: RunLog) { self.log = log }

    /// Whether there is text.
    var hasText: Bool { !log.utf8.isEmpty }

    /// Appends an event and wakes all readers.
    mutating func append(_ event: RunEvent) {
        log.append(event)
        readers.wakeAll()
    }

    /// Appends text and wakes all readers. Returns whether all of it was kept.
    mutating func append(_ text: String) -> Bool {
        defer { readers.wakeAll() }
        return log.append(text)
    }
}
