/// Cuts a file of letters (mbox) at its `From ` lines, and holds one letter at a time.
struct MailboxSplitter {
    /// A letter as it is written, without the `From ` line, and with `>From ` lines as they were.
    struct Letter {
        var bytes: [UInt8]
        /// The letter's number from 1.
        var number: Int
        /// Whether the file ends within a line of it.
        var isCut: Bool
    }

    private let stream: IngestStream
    private var buffer: [UInt8] = []
    private var place = 0
    private var isAtEnd = false
    private var number = 0
    private var isAtLetter = true
    var bytesRead: Int { stream.bytesRead }

    private static let from = Array("From ".utf8)

    init(_ stream: IngestStream) { self.stream = stream }

    /// The next letter, or why it cannot be read; nil at the end.
    mutating func next() -> Result<Letter, IngestProblem>? {
        do throws(IngestProblem) {
            var (letter, isTooLarge, wasEmpty, isFirst, isEmpty): ([UInt8], Bool, Bool, Bool, Bool) = (
                [], false, false, isAtLetter, true
            )
            while var line = try line() {
                if line.starts(with: Self.from), isFirst || wasEmpty {
                    if !isFirst, !isEmpty {
                        isAtLetter = true
                        place -= line.count
                        break
                    }
                    isFirst = false
                    continue
                }
                isFirst = false
                let rest = line.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
                wasEmpty = rest.isEmpty
                isEmpty = isEmpty && wasEmpty
                if line.first == UInt8(ascii: ">"),
                    line.drop(while: { $0 == UInt8(ascii: ">") }).starts(with: Self.from)
                {
                    line.removeFirst()
                }
                if letter.count + line.count > ExportLimits.mostItemBytes { (isTooLarge, letter) = (true, []) }
                if !isTooLarge { letter += line }
            }
            guard !isEmpty else { return nil }
            number += 1
            guard !isTooLarge else {
                let reason = "letter \(number) is larger than \(ExportLimits.mostItemBytes) bytes"
                return .failure(IngestProblem(location: stream.location, reason: reason))
            }
            return .success(Letter(bytes: letter, number: number, isCut: letter.last != 0x0A))
        } catch {
            (buffer, place, isAtEnd) = ([], 0, true)
            return .failure(error)
        }
    }

    /// The next line with its end. A line longer than what is read at once comes in pieces.
    private mutating func line() throws(IngestProblem) -> ArraySlice<UInt8>? {
        while true {
            if let end = buffer[place...].firstIndex(of: 0x0A) {
                defer { place = end + 1 }
                return buffer[place...end]
            }
            if isAtEnd || buffer.count - place > 256 << 10 {
                guard place < buffer.count else { return nil }
                defer { place = buffer.count }
                return buffer[place...]
            }
            buffer.removeFirst(place)
            place = 0
            if let piece = try stream.next() { buffer += piece } else { isAtEnd = true }
        }
    }
}
