/// Cuts an export of Evernote into its notes, without the bytes of attachments, and holds one note at a time.
///
/// It looks for the tags around a note alone. The markup of a note has no such tags, so that a damaged note does not touch the next.
struct EvernoteSplitter {
    /// A `note` element as it is written, without the content of its `data` elements.
    struct Note {
        var bytes: [UInt8]
        /// The note's number from 1.
        var number: Int
        /// Whether its end is missing.
        var isCut: Bool
    }

    private let stream: IngestStream
    private var buffer: [UInt8] = []
    private var place = 0
    private var isAtEnd = false
    private var number = 0
    /// Whether the place is the start of a note.
    private var isAtNote = false
    /// The note so far.
    private var item: [UInt8] = []
    private var isTooLarge = false
    var bytesRead: Int { stream.bytesRead }

    private static let note = Array("<note".utf8)
    private static let noteEnd = Array("</note>".utf8)
    private static let resource = Array("<resource".utf8)
    private static let resourceEnd = Array("</resource>".utf8)
    private static let data = Array("<data".utf8)
    private static let dataEnd = Array("</data>".utf8)
    /// The bytes at which each of these tags is known, with the byte behind its name.
    private static let longest = 12

    init(_ stream: IngestStream) { self.stream = stream }

    /// The next note, or why it cannot be read; nil at the end of the file.
    mutating func next() -> Result<Note, IngestProblem>? {
        do throws(IngestProblem) {
            while !isAtNote {
                guard try advance(isKept: false) else { return nil }
                isAtNote = isTag(Self.note)
                if !isAtNote { place += 1 }
            }
            number += 1
            (isAtNote, isTooLarge, item) = (false, false, [])
            let isCut = try readNote()
            guard !isTooLarge else {
                let reason = "note \(number) is larger than \(ExportLimits.mostTreeBytes) bytes without its attachments"
                return .failure(IngestProblem(location: stream.location, reason: reason))
            }
            return .success(Note(bytes: item, number: number, isCut: isCut))
        } catch {
            (isAtEnd, buffer, place) = (true, [], 0)
            return .failure(error)
        }
    }

    /// Reads a note from its tag on. Returns whether its end is missing.
    private mutating func readNote() throws(IngestProblem) -> Bool {
        var (isResource, isData) = (false, false)
        take(Self.note.count, isKept: true)
        while try advance(isKept: !isData) {
            if isTag(Self.noteEnd) {
                take(Self.noteEnd.count, isKept: !isData)
                return isData
            }
            if isTag(Self.note) {
                isAtNote = true
                return true
            }
            if isTag(Self.resource) { isResource = true } else if isTag(Self.resourceEnd) { isResource = false }
            if isTag(Self.dataEnd) {
                isData = false
            } else if isResource, !isData, isTag(Self.data) {
                isData = true
                keep(Array("<data>".utf8)[...])
            }
            take(1, isKept: !isData)
        }
        return true
    }

    /// Goes to the next `<`, and reads as much behind it as a tag needs. Returns false at the end of the file.
    private mutating func advance(isKept: Bool) throws(IngestProblem) -> Bool {
        while true {
            let start = buffer[place...].firstIndex(of: UInt8(ascii: "<")) ?? buffer.count
            take(start - place, isKept: isKept)
            if buffer.count - place >= Self.longest || (isAtEnd && place < buffer.count) { return true }
            if isAtEnd { return false }
            buffer.removeFirst(place)
            place = 0
            if let piece = try stream.next() { buffer += piece } else { isAtEnd = true }
        }
    }

    private mutating func take(_ count: Int, isKept: Bool) {
        let end = min(buffer.count, place + count)
        if isKept { keep(buffer[place..<end]) }
        place = end
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) {
        if item.count + bytes.count > ExportLimits.mostTreeBytes { (isTooLarge, item) = (true, []) }
        if !isTooLarge { item += bytes }
    }

    /// Whether a tag begins at the place: one with a whole end, or a name that ends there.
    private func isTag(_ tag: [UInt8]) -> Bool {
        guard buffer[place...].starts(with: tag) else { return false }
        guard tag.last != UInt8(ascii: ">"), place + tag.count < buffer.count else { return true }
        let behind = buffer[place + tag.count]
        return behind == UInt8(ascii: ">") || behind.isASCIIWhitespace
    }
}
