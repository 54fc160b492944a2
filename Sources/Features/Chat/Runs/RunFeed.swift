import ChatRun

/// What readers of a run get: its log, and who waits for more of it.
struct RunFeed {
    private(set) var log: RunLog
    var readers = RunReaders()
    var thoughts: RunThoughts

    init(_ log: RunLog, keepsThoughts: Bool) {
        self.log = log
        thoughts = RunThoughts(isKept: keepsThoughts)
    }

    /// Whether there is text.
    var hasText: Bool { !log.utf8.isEmpty }

    /// Appends an event and wakes all readers.
    mutating func append(_ event: RunEvent) {
        log.append(event)
        readers.wakeAll()
    }

    /// Appends thoughts, unless there is text, and wakes the reader that shows them.
    mutating func think(_ piece: String) {
        guard !hasText, thoughts.append(piece), let reader = thoughts.reader else { return }
        readers.wake(reader)
    }

    /// Appends text and wakes all readers. Returns whether all of it was kept.
    mutating func append(_ text: String) -> Bool {
        defer { readers.wakeAll() }
        return log.append(text)
    }
}
