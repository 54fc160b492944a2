/// Finds the citations of an answer while it streams.
///
/// Text is held back only while it may become a marker, so that a reader never sees half of one: at most
/// ``MarkerGrammar/maxBytes`` bytes and an incomplete UTF-8 sequence of at most three. Text and markers do not depend on
/// how the bytes are cut into chunks. Not a marker is what stands in fenced or inline code, in a link destination, as the
/// text of a link to an address (`[1](url)`; `[1](#1)` is one), behind a backslash, or at the start of a definition (`[1]: …`, `[^1]: …`).
package struct CitationFilter: Sendable {
    /// Markers of an answer at most; later ones stay text.
    package static let maxMarkers = 4096

    /// What a chunk completed.
    package struct Output: Sendable, Equatable {
        /// Text to show, markers included. All outputs together are the answer.
        package var text = ""
        /// Markers that ended, in the order of the text. A marker's text was shown before or is in ``text``. A marker
        /// behind a lone backtick comes late, with the end of its line.
        package var markers: [CitationMarker] = []
    }

    /// Text that may become a marker.
    private struct Candidate {
        var start: Int
        var part: MarkdownPlace.Part
        var startsLine: Bool
        /// Whether white space stands before.
        var hasSpace: Bool
        var closing: Unicode.Scalar
        var scalars: [Unicode.Scalar]
        var bytes: Int
        var reader = MarkerReader()
        /// Set when the marker is closed; the next character decides whether it is a link.
        var reading: MarkerReader.Reading?
        /// The destination of a link behind the closed marker.
        var destination: [Unicode.Scalar]?
        /// Whether the destination is closed, and no address.
        var isWhole = false

        var isParenthesis: Bool { MarkerGrammar.isParenthesis(closing) }
    }

    private var tail = IncompleteTail()
    private var place = MarkdownPlace()
    private var candidate: Candidate?
    /// Markers within backticks that may turn out to be text.
    private var inCode: [CitationMarker] = []
    private var count = 0
    private var previous: Unicode.Scalar = "\n"
    /// UTF-8 bytes of the answer before the next character.
    private var offset = 0

    /// Creates a filter for one answer.
    package init() {}

    /// Takes the next bytes of the answer.
    package mutating func push(_ chunk: some Sequence<UInt8>) -> Output {
        var output = Output()
        for scalar in tail.append(chunk).unicodeScalars { read(scalar, into: &output) }
        return output
    }

    /// Takes the end of the answer. The filter must not be used afterwards.
    package mutating func finish() -> Output {
        var output = Output()
        for scalar in tail.finish().unicodeScalars { read(scalar, into: &output) }
        resolve(before: nil, into: &output)
        resolveCode(place.finish(), into: &output)
        return output
    }

    /// The markers of a whole answer.
    package static func markers(in answer: String) -> [CitationMarker] {
        var filter = CitationFilter()
        let markers = filter.push(answer.utf8).markers
        return markers + filter.finish().markers
    }

    private mutating func read(_ scalar: Unicode.Scalar, into output: inout Output) {
        defer { (offset, previous) = (offset + UTF8.width(scalar), scalar) }
        if candidate != nil, extend(with: scalar) {
            resolveCode(place.advance(scalar), into: &output)
            return
        }
        resolve(before: scalar, into: &output)
        let startsLine = place.isAtLineStart
        let isEscaped = place.isNextEscaped
        resolveCode(place.advance(scalar), into: &output)
        let part = place.part
        if let closing = MarkerGrammar.closing(scalar), part == .text || part == .code, !isEscaped,
            count < Self.maxMarkers
        {
            candidate = Candidate(
                start: offset, part: part, startsLine: startsLine,
                hasSpace: previous == " " || previous == "\u{A0}", closing: closing, scalars: [scalar],
                bytes: UTF8.width(scalar))
        } else {
            output.text.unicodeScalars.append(scalar)
        }
    }

    /// Adds a character to the candidate; false when it does not belong to it.
    private mutating func extend(with scalar: Unicode.Scalar) -> Bool {
        guard var open = candidate, !open.isWhole else { return false }
        let bytes = open.bytes + UTF8.width(scalar)
        guard bytes <= MarkerGrammar.maxBytes else { return false }
        if let destination = open.destination {
            if scalar == ")" {
                guard MarkerReader.isInternal(destination) else { return false }
                open.isWhole = true
            } else {
                guard scalar.isLetter || scalar.isNumeric || ["#", "-", "_"].contains(scalar) else { return false }
                open.destination?.append(scalar)
            }
        } else if open.reading != nil {
            guard scalar == "(", open.closing == "]" else { return false }
            open.destination = []
        } else if scalar == open.closing {
            guard let reading = open.reader.finish() else { return false }
            open.reading = reading
        } else {
            guard open.reader.read(scalar) else { return false }
        }
        open.scalars.append(scalar)
        open.bytes = bytes
        candidate = open
        return true
    }

    /// Decides on the candidate and releases its text. `next` is the character behind it, nil at the end.
    private mutating func resolve(before next: Unicode.Scalar?, into output: inout Output) {
        guard let open = candidate else { return }
        candidate = nil
        output.text.unicodeScalars.append(contentsOf: open.scalars)
        guard let reading = open.reading, open.destination == nil || open.isWhole, !(next == ":" && open.startsLine)
        else { return }
        let isLoose = open.isParenthesis && !reading.isNamed
        if isLoose {
            // `(1)` is a citation at the end of a sentence only; `(1) first, (2) second` counts.
            let isAtEnd = next.map { [".", "!", "?", "\n", "\r", "。"].contains($0) } ?? true
            guard isAtEnd, open.hasSpace, !open.startsLine, !(open.scalars.contains("/")) else { return }
        }
        let marker = CitationMarker(
            range: open.start..<(open.start + open.bytes), numbers: reading.numbers, isLoose: isLoose)
        count += 1
        if open.part == .code { inCode.append(marker) } else { output.markers.append(marker) }
    }

    private mutating func resolveCode(_ event: MarkdownPlace.Event?, into output: inout Output) {
        guard let event else { return }
        if event == .codeAbandoned { output.markers.append(contentsOf: inCode) }
        inCode = []
    }
}
