package import GatewayAPI

/// Writes the answer to one request in the form of a protocol: events in, bytes out.
///
/// A stream is ``opening()``, ``write(_:to:)`` for each event, then ``closing(_:)`` or ``broken(_:)``. A whole answer is
/// ``whole(_:_:)`` alone.
package protocol AnswerWriter: Sendable {
    /// The content type of a stream.
    static var streamType: String { get }

    /// The beginning of a stream, before the first event.
    mutating func opening() -> [UInt8]
    /// Appends what a client gets for an event; nothing for one that the protocol does not show.
    mutating func write(_ event: ChatEvent, to bytes: inout [UInt8])
    /// The end of a stream.
    mutating func closing(_ end: AnswerEnd) -> [UInt8]
    /// The end of a stream that failed.
    mutating func broken(_ failure: AnswerFailure) -> [UInt8]
    /// The answer as one object.
    func whole(_ content: AnswerContent, _ end: AnswerEnd) -> [UInt8]
}

/// What is known of an answer before its text.
package struct AnswerHead: Sendable {
    /// The part of all ids that is the answer's own, in letters, digits, `-` and `_`.
    package let id: String
    /// The model as the client named it.
    package let model: String
    /// Seconds since 1970.
    package let created: Int64
    /// The same time in ISO 8601.
    package let createdText: String

    package init(id: String, model: String, created: Int64, createdText: String) {
        (self.id, self.model, self.created, self.createdText) = (id, model, created, createdText)
    }

    /// The id of a call, also where the provider gave none.
    func id(of call: String, at index: Int) -> String { call.isEmpty ? "call_\(id)_\(index)" : call }
}

/// What is known of an answer at its end.
package struct AnswerEnd: Sendable {
    package var reason = ChatEnd.Reason.stop
    package var usage = ChatUsage()
    /// Durations in nanoseconds: of the whole answer, and until its first part.
    package var (total, first): (Int64, Int64) = (0, 0)
    package var citations: [AnswerCitation] = []

    package init() {}

    var promptTokens: Int { usage.promptTokens ?? 0 }
    var completionTokens: Int { usage.completionTokens ?? 0 }
    var totalTokens: Int { promptTokens.addingReportingOverflow(completionTokens).partialValue }
}

/// A citation in the text of an answer.
package struct AnswerCitation: Sendable, Hashable {
    /// The marker in the text, in Unicode scalars.
    package var range: Range<Int>
    package var title: String
    /// The page that shows the source.
    package var address: String
    /// The cited text.
    package var text: String
    /// The place of the source among all of the answer.
    package var place: Int

    package init(range: Range<Int>, title: String, address: String, text: String, place: Int) {
        (self.range, self.title, self.address) = (range, title, address)
        (self.text, self.place) = (text, place)
    }

    /// Writes the members of OpenAI's citation of a page.
    func writePage(_ json: inout JSONWriter) {
        json.member("start_index", range.lowerBound)
        json.member("end_index", range.upperBound)
        json.member("title", title)
        json.member("url", address)
    }
}

/// Why a stream ends before its answer.
package struct AnswerFailure: Sendable {
    /// The error in the protocol's form, as JSON.
    package let json: [UInt8]
    /// A stable word.
    package let code: String
    /// A sentence for people.
    package let message: String

    package init(json: [UInt8], code: String, message: String) {
        (self.json, self.code, self.message) = (json, code, message)
    }
}

/// An answer that is collected until it is complete.
package struct AnswerContent: Sendable {
    /// The largest answer that is collected, in bytes.
    private static let limit = 32 << 20

    package private(set) var thinking = ""
    package private(set) var text = ""
    package private(set) var calls: [ChatCall] = []
    package private(set) var probabilities: [JSONSource] = []
    private var bytes = 0

    package init() {}

    /// Whether the answer is larger than any that is sent as a whole.
    package var isTooLarge: Bool { bytes > Self.limit }

    package mutating func take(_ event: ChatEvent) {
        switch event {
        case .thinking(let piece):
            bytes += piece.utf8.count
            if !isTooLarge { thinking += piece }
        case .text(let piece):
            bytes += piece.utf8.count
            if !isTooLarge { text += piece }
        case .call(let call):
            bytes += call.written.utf8.count + 64
            if !isTooLarge { calls.append(call) }
        case .probabilities(let more):
            bytes += more.reduce(0) { $0 + $1.json.count }
            if !isTooLarge { probabilities += more }
        case .waiting, .sent, .callPiece, .usage, .ended: break
        }
    }
}

/// Follows which calls of a stream were written already, piece by piece.
struct CallsInStream {
    private var begun = 0
    private var ended = 0
    /// Whether arguments of the last call were written.
    private var hasArguments = false

    /// The call that a piece belongs to, whether it is the first piece of it, and then whether the call before it was left
    /// without arguments.
    mutating func take(_ piece: ChatCallPiece) -> (index: Int, isFirst: Bool, leftEmpty: Bool) {
        let isFirst = piece.index >= begun
        let leftEmpty = isFirst && begun > ended && !hasArguments
        if isFirst { (begun, hasArguments) = (piece.index + 1, false) }
        if !piece.text.isEmpty { hasArguments = true }
        return (piece.index, isFirst, leftEmpty)
    }

    /// The place of a complete call, and how much of it was written.
    mutating func end() -> (index: Int, isBegun: Bool, hasArguments: Bool) {
        defer { ended += 1 }
        guard ended < begun else { return (ended, false, false) }
        // Only the last call can be without arguments: `take` told of an earlier one.
        return (ended, true, ended < begun - 1 || hasArguments)
    }
}

/// Writes events of a stream of server-sent events.
enum EventText {
    static func append(
        _ name: String? = nil, to bytes: inout [UInt8], reserving capacity: Int = 256,
        _ members: (inout JSONWriter) -> Void
    ) {
        append(name, json: JSONWriter.object(reserving: capacity, members), to: &bytes)
    }

    static func append(_ name: String?, json: [UInt8], to bytes: inout [UInt8]) {
        if let name {
            bytes += "event: ".utf8
            bytes += name.utf8
            bytes.append(0x0A)
        }
        bytes += "data: ".utf8
        bytes += json
        bytes += [0x0A, 0x0A]
    }
}
