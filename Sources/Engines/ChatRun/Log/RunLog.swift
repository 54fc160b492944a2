/// The text and the events of one run, kept in order for readers that come and go.
///
/// The text is kept once, whole; events remember the byte that they follow. A reader is only a position, so that any number
/// of readers costs nothing here. Memory is bounded by ``Limits``.
package struct RunLog: Sendable {
    /// How much a log keeps.
    package struct Limits: Sendable, Hashable {
        /// UTF-8 bytes of text at most.
        package var textBytes = 1_048_576
        /// Events at most; older ones are dropped.
        package var events = 2048
        /// Bytes of the events' JSON at most, all together; older ones are dropped.
        package var eventBytes = 262_144

        /// The limits of a chat.
        package init() {}
    }

    /// An event and its place.
    struct Entry {
        let event: RunEvent
        /// The place behind it.
        let position: RunPosition
    }

    /// How much the log keeps.
    package let limits: Limits
    /// The text so far as UTF-8; always whole scalars.
    package private(set) var utf8: [UInt8] = []
    /// The place behind everything.
    package private(set) var end: RunPosition
    /// Whether `done` or `failed` was appended.
    package private(set) var hasEnded = false
    /// The events that are kept, oldest first.
    private(set) var entries: [Entry] = []
    /// The place behind the newest event that was dropped for room; nil when none was.
    private(set) var dropped: RunPosition?
    private var eventBytes = 0
    /// Whether text was left out. What comes later is left out, too, so that the text has no gap.
    private var isFull = false

    /// Starts a log.
    ///
    /// - Parameters:
    ///   - text: The text that a run had before it was interrupted.
    ///   - events: The events that it had, oldest first. Its end and what is out of order are not taken over.
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
    /// - Returns: Whether all of it was taken. Text beyond the limit is left out, and so is all that follows, and text
    ///   after the end. ``RunInput/textFull`` then ends the run.
    @discardableResult
    package mutating func append(_ text: String) -> Bool { append(Array(text.utf8)[...]) }

    /// Appends valid UTF-8.
    @discardableResult
    private mutating func append(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard !hasEnded, !isFull else { return bytes.isEmpty }
        let room = max(0, limits.textBytes - utf8.count)
        let fitting = bytes.count <= room ? bytes.count : UTF8Border.before(room, in: Array(bytes.prefix(room + 1)))
        utf8 += bytes.prefix(fitting)
        if utf8.count > end.offset { end = RunPosition(life: end.life, offset: utf8.count) }
        isFull = fitting < bytes.count
        return !isFull
    }

    /// Appends an event. A `state` replaces the one before it. `done` and `failed` end the log.
    ///
    /// - Returns: Whether it was kept: an event larger than ``Limits/eventBytes`` and one after the end are not.
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

    /// The text so far.
    package var text: String { String(decoding: utf8, as: UTF8.self) }

    /// Bytes of memory that the log holds, without what the allocator adds.
    package var memory: Int {
        utf8.capacity + entries.capacity * MemoryLayout<Entry>.stride
            + entries.reduce(0) { $0 + $1.event.json.capacity }
    }
}
