/// What a reader gets at once.
package struct RunRead: Sendable, Hashable {
    /// What to send, in order; empty when there is nothing new.
    package let frames: [RunFrame]
    /// Where to read on.
    package let next: RunPosition
    /// Whether the run has ended and nothing is left to send.
    package let isComplete: Bool
}

extension RunLog {
    /// Bytes of a frame's text at most when the caller says nothing else.
    package static let readBytes = 65_536

    /// Where a reader goes on.
    ///
    /// An offset within a scalar moves back to the scalar's first byte.
    ///
    /// - Parameter lastEventID: The id of the last event that it got; nil for a new reader.
    /// - Returns: nil when a snapshot is needed: the id is none, of another life, behind the end, or before events that were
    ///   dropped.
    package func position(after lastEventID: String?) -> RunPosition? {
        let start = RunPosition(life: end.life, offset: 0)
        guard let wanted = lastEventID.map({ RunPosition($0) }) ?? start, wanted.life == end.life,
            !end.isBefore(wanted)
        else { return nil }
        let border = UTF8Border.before(wanted.offset, in: utf8)
        // A reader that has bytes behind the border has the events at it.
        let position = border == wanted.offset ? wanted : behindEvents(at: border)
        if let dropped, position.isBefore(dropped) { return nil }
        return position
    }

    /// Everything so far, as one frame.
    package var snapshot: RunSnapshot {
        RunSnapshot(
            text: text, events: entries.map { .init(offset: $0.position.offset, event: $0.event) }, end: end)
    }

    /// Attaches a reader: the frames that it lacks, or one snapshot.
    package func attach(lastEventID: String?, maxBytes: Int = readBytes) -> RunRead {
        if let position = position(after: lastEventID) { return read(after: position, maxBytes: maxBytes) }
        return RunRead(frames: [.snapshot(snapshot)], next: end, isComplete: hasEnded)
    }

    /// What comes after a place: events, and the text between them as one delta each.
    ///
    /// - Parameters:
    ///   - position: From ``position(after:)`` or from an earlier read. After events were dropped there, the result is a
    ///     snapshot.
    ///   - maxBytes: Bytes of text and JSON after which no further frame begins; a delta is cut there.
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
        // At least one scalar, so that a reader with little room gets on.
        let cut = limit - start > room ? UTF8Border.before(start + room, in: utf8) : limit
        let stop = cut > start ? cut : UTF8Border.after(start + 1, in: utf8)
        place = RunPosition(life: end.life, offset: stop)
        frames.append(.delta(String(decoding: utf8[start..<stop], as: UTF8.self), from: start, end: place))
        room -= stop - start
    }

    /// The index of the first event behind a place, by bisection.
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
