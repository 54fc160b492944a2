/// Cuts a JSON document into the elements of its list, without holding more than one of them.
///
/// A document that is one object is its only element.
struct JSONElements {
    private static let mostBytes = ExportLimits.mostItemBytes

    /// An element as it is written, with its number from 1.
    struct Element {
        var bytes: [UInt8]
        var number: Int
    }

    private let stream: IngestStream
    private var piece: [UInt8] = []
    private var place = 0
    private var number = 0
    private var isList: Bool?
    private var isEnded = false
    var bytesRead: Int { stream.bytesRead }

    init(_ stream: IngestStream) { self.stream = stream }

    /// The next element, or why it cannot be read; nil at the end.
    mutating func next() -> Result<Element, IngestProblem>? {
        do throws(IngestProblem) {
            guard !isEnded, try begin(), let first = try skip() else {
                if isList == true, !isEnded { throw end("the file ends within its list; export it again") }
                return nil
            }
            if first == UInt8(ascii: "]") {
                isEnded = true
                return nil
            }
            guard first != UInt8(ascii: "}") else { throw end("is no JSON behind item \(number)") }
            number += 1
            return .success(Element(bytes: try element(), number: number))
        } catch { return .failure(error) }
    }

    /// Goes into the list. Returns whether there may be an element.
    private mutating func begin() throws(IngestProblem) -> Bool {
        guard isList == nil else { return true }
        guard var first = try skip() else {
            isEnded = true
            return false
        }
        if first == 0xEF {
            // The byte order mark.
            place = min(piece.count, place + 3)
            first = try skip() ?? 0
        }
        isList = first == UInt8(ascii: "[")
        if isList == true { place += 1 } else if first != UInt8(ascii: "{") { throw end("is not a JSON document") }
        return true
    }

    /// The next byte that is neither white space nor a comma, which stays; nil at the end of the file.
    private mutating func skip() throws(IngestProblem) -> UInt8? {
        while true {
            while place < piece.count {
                let byte = piece[place]
                if !byte.isASCIIWhitespace, byte != UInt8(ascii: ",") { return byte }
                place += 1
            }
            guard try fill() else { return nil }
        }
    }

    private mutating func fill() throws(IngestProblem) -> Bool {
        do throws(IngestProblem) {
            guard let next = try stream.next() else { return false }
            (piece, place) = (next, 0)
            return true
        } catch {
            isEnded = true
            throw error
        }
    }

    private mutating func element() throws(IngestProblem) -> [UInt8] {
        var result: [UInt8] = []
        var (depth, isString, isEscape, isTooLong) = (0, false, false, false)
        while true {
            var here = place
            var isDone = false
            scan: while here < piece.count {
                let byte = piece[here]
                here += 1
                if isString {
                    if isEscape {
                        isEscape = false
                    } else if byte == UInt8(ascii: "\\") {
                        isEscape = true
                    } else if byte == UInt8(ascii: "\"") {
                        isString = false
                    }
                    continue
                }
                switch byte {
                case UInt8(ascii: "\""): isString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    depth -= 1
                    if depth < 0 { here -= 1 }
                    isDone = depth <= 0
                case UInt8(ascii: ",") where depth == 0:
                    here -= 1
                    isDone = true
                default: break
                }
                if isDone { break scan }
            }
            if result.count + here - place > Self.mostBytes { (isTooLong, result) = (true, []) }
            if !isTooLong { result += piece[place..<here] }
            place = here
            if isDone { break }
            guard try fill() else {
                isEnded = true
                throw problem("the file ends within item \(number); export it again")
            }
        }
        if isList == false { isEnded = true }
        guard !isTooLong else { throw problem("item \(number) is larger than \(Self.mostBytes) bytes") }
        return result
    }

    private mutating func end(_ reason: String) -> IngestProblem {
        isEnded = true
        return problem(reason)
    }

    private func problem(_ reason: String) -> IngestProblem { IngestProblem(location: stream.location, reason: reason) }
}
