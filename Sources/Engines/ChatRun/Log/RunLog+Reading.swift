import Text

/// The result of one read.
package struct RunRead: Sendable, Hashable {
    /// The frames to send, in order; empty when the reader is up to date.
    package let frames: [RunFrame]
    package let next: RunPosition
    /// Whether the run has ended and all frames were sent.
    package let isComplete: Bool
}

extension RunLog {
    /// The default limit of one read, in bytes.
    package static let readBytes = 65_536

    /// The position at which a reader continues.
    ///
    /// An offset within a scalar moves back to the scalar's first byte.
    ///
    /// - Parameter lastEventID: The id of the last event received; nil for a new reader.
    /// - Returns: nil when the reader needs a snapshot: the id is invalid, of another life, past the end, or before
    ///   dropped events.
    package func position(after lastEventID: String?) -> RunPosition? {
        let start = RunPosition(life: end.life, offset: 0)
        guard let wanted = lastEventID.map({ RunPosition($0) }) ?? start, wanted.life == end.life,
            !end.isBefore(wanted)
        else { return nil }
        let border = UTF8Border.before(wanted.offset, in: utf8)
        // A reader with bytes past the border already has the events at the border.
        let position = border == wanted.offset ? wanted : behindEvents(at: border)
        if let dropped, position.isBefore(dropped) { return nil }
        return position
    }

    /// The complete contents, as one frame.
    package var snapshot: RunSnapshot {
        RunSnapshot(
            text: text, events: entries.map { .init(offset: $0.position.offset, event: $0.event) }, end: end)
    }

    /// Attaches a reader. Returns the frames that the reader lacks, or one snapshot.
    package func attach(lastEventID: String?, maxBytes: Int = readBytes) -> RunRead {
        if let position = position(after: lastEventID) { return read(after: position, maxBytes: maxBytes) }
        return RunRead(frames: [.snapshot(snapshot)], next: end, isComplete: hasEnded)
    }

    /// Reads after a position: events, and the text between two events as one delta.
    ///
    /// - Parameters:
    ///   - position: From ``position(after:)`` or an earlier read. If events after the position were dropped, the
    ///     result is a snapshot.
    ///   - maxBytes: Bytes of text and JSON after which no further frame begins. A delta is cut at this limit.
    package func read(after position: RunPosition, maxBytes: Int = readBytes) -> RunRead {
        if dropped.map(position.isBefore) == true || position.life != end.life || end.isBefore(position) {
            return RunRead(frames: [.snapshot(snapshot)], next: end, isComplete: hasEnded)
        }
        var frames: [RunFrame] = []
        var place = position
        var room = max(1, maxBytes)
        for entry in entries[firstEntry(after: position)...] {
            appendText(upTo: entry.position.offset, &frames, &place, &room)
            guard place.offset == entry.position.offset, room > 0 else {
                return RunRead(frames: frames, next: place, isComplete: false)
            }
            frames.append(.event(entry.event, end: entry.position))
            place = entry.position
            room -= entry.event.json.count
        }
        appendText(upTo: utf8.count, &frames, &place, &room)
        return RunRead(frames: frames, next: place, isComplete: hasEnded && place.offset == utf8.count)
    }

    private func appendText(upTo limit: Int, _ frames: inout [RunFrame], _ place: inout RunPosition, _ room: inout Int)
    {
        guard place.offset < limit, room > 0 else { return }
        let start = place.offset
        // At least one scalar, so that a reader with a small limit advances.
        let cut = limit - start > room ? UTF8Border.before(start + room, in: utf8) : limit
        let stop = cut > start ? cut : UTF8Border.after(start + 1, in: utf8)
        place = RunPosition(life: end.life, offset: stop)
        frames.append(.delta(String(decoding: utf8[start..<stop], as: UTF8.self), from: start, end: place))
        room -= stop - start
    }

    /// The index of the first event after a position, by bisection.
    private func firstEntry(after position: RunPosition) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = low + (high - low) / 2
            if position.isBefore(entries[middle].position) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private func behindEvents(at offset: Int) -> RunPosition {
        let next = firstEntry(after: RunPosition(life: end.life, offset: offset, events: .max))
        let last = next > 0 ? entries[next - 1].position : RunPosition(life: end.life, offset: offset)
        return last.offset == offset ? last : RunPosition(life: end.life, offset: offset)
    }
}
