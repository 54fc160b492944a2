import Text

/// Keeps the text and events of one run in order, for any number of readers.
///
/// The text is kept once; each event stores its byte offset. A reader is only a position, so readers cost no memory
/// here. Memory is bounded by ``Limits``.
package struct RunLog: Sendable {
    package struct Limits: Sendable, Hashable {
        /// The maximum size of the text in UTF-8 bytes.
        package var textBytes = 1_048_576
        /// The maximum number of events; the oldest are dropped.
        package var events = 2048
        /// The maximum size of all events' JSON in bytes; the oldest events are dropped.
        package var eventBytes = 262_144

        /// Creates the limits of a chat.
        package init() {}
    }

    /// An event and its position.
    struct Entry {
        let event: RunEvent
        /// The position after the event.
        let position: RunPosition
    }

    package let limits: Limits
    /// The text as UTF-8; always whole scalars.
    package private(set) var utf8: [UInt8] = []
    /// The position after all text and events.
    package private(set) var end: RunPosition
    /// Whether `done` or `failed` was appended.
    package private(set) var hasEnded = false
    /// The kept events, oldest first.
    private(set) var entries: [Entry] = []
    /// The position after the newest dropped event; nil when no event was dropped.
    private(set) var dropped: RunPosition?
    private var eventBytes = 0
    /// Whether text was left out. All later text is then left out too, so that the text has no gap.
    private var isFull = false

    /// Creates a log, empty or with the contents of an interrupted run.
    ///
    /// - Parameters:
    ///   - text: The text of the run before the interruption.
    ///   - events: The earlier events, oldest first. An ending and events out of order are dropped.
    ///   - life: How often the run was continued.
    package init(
        text: String = "", events: [RunSnapshot.Placed] = [], life: Int = 0, limits: Limits = Limits()
    ) {
        self.limits = limits
        end = RunPosition(life: life, offset: 0)
        let bytes = Array(text.utf8)
        for placed in events where !placed.event.kind.isLast && placed.offset >= utf8.count {
            append(bytes[utf8.count..<UTF8Border.before(placed.offset, in: bytes)])
            append(placed.event)
        }
        append(bytes[utf8.count...])
    }

    /// Appends text.
    ///
    /// - Returns: Whether all of the text was kept. Text past the limit or after the end is left out, and so is all
    ///   later text. ``RunInput/textFull`` then ends the run.
    @discardableResult
    package mutating func append(_ text: String) -> Bool { append(Array(text.utf8)[...]) }

    /// Appends valid UTF-8.
    @discardableResult
    private mutating func append(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard !hasEnded, !isFull else { return bytes.isEmpty }
        let room = max(0, limits.textBytes - utf8.count)
        let fitting = bytes.count <= room ? bytes.count : UTF8Border.before(room, in: Array(bytes.prefix(room + 1)))
        // Many runs are held at once: an array would double its capacity.
        let needed = utf8.count + fitting
        if needed > utf8.capacity { utf8.reserveCapacity(needed + max(1024, needed / 4)) }
        utf8 += bytes.prefix(fitting)
        if utf8.count > end.offset { end = RunPosition(life: end.life, offset: utf8.count) }
        isFull = fitting < bytes.count
        return !isFull
    }

    /// Appends an event. A `state` replaces the one before it. `done` and `failed` end the log.
    ///
    /// - Returns: Whether the event was kept. Events larger than ``Limits/eventBytes`` and events after the end are not
    ///   kept.
    @discardableResult
    package mutating func append(_ event: RunEvent) -> Bool {
        guard !hasEnded, event.json.count <= limits.eventBytes || event.kind.isLast else { return false }
        if event.kind == .state, let place = entries.lastIndex(where: { $0.event.kind == .state }) {
            eventBytes -= entries.remove(at: place).event.json.count
        }
        end = RunPosition(life: end.life, offset: end.offset, events: end.events + 1)
        entries.append(Entry(event: event, position: end))
        eventBytes += event.json.count
        hasEnded = event.kind.isLast
        dropOldest()
        return true
    }

    private mutating func dropOldest() {
        var count = 0
        while entries.count - count > max(1, limits.events)
            || (eventBytes > limits.eventBytes && entries.count - count > 1)
        {
            eventBytes -= entries[count].event.json.count
            dropped = entries[count].position
            count += 1
        }
        entries.removeFirst(count)
    }

    package var text: String { String(decoding: utf8, as: UTF8.self) }

    /// Bytes of memory that the log holds, without the allocator's overhead.
    package var memory: Int {
        utf8.capacity + entries.capacity * MemoryLayout<Entry>.stride
            + entries.reduce(0) { $0 + $1.event.json.capacity }
    }
}
