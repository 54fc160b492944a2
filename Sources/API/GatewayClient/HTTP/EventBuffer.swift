import Foundation

struct ServerSentEvent: Equatable {
    /// The last id that the stream has given so far.
    var id: String?
    /// The event's name; `message` without one.
    var name: String
    /// The data, its lines joined by line feeds.
    var data: [UInt8]
}

/// Splits bytes into server-sent events, as the HTML standard defines them. Bytes may be cut anywhere.
struct EventBuffer {
    private let maxBytes: Int
    private var line: [UInt8] = []
    private var isFirstLine = true
    /// Whether the last byte was a carriage return, whose line feed may follow.
    private var endsWithReturn = false
    private var id: String?
    private var name = ""
    private var data: [UInt8]?
    private var ready: [ServerSentEvent] = []
    private var taken = 0

    /// Creates a buffer.
    ///
    /// - Parameter maxBytes: The largest event in bytes.
    init(maxBytes: Int) { self.maxBytes = maxBytes }

    /// Appends received bytes.
    ///
    /// - Throws: ``GatewayClientError`` when an event exceeds `maxBytes`.
    mutating func append(_ piece: Data) throws {
        ready.removeFirst(taken)
        taken = 0
        for byte in [UInt8](piece) {
            switch byte {
            case UInt8(ascii: "\n") where endsWithReturn: endsWithReturn = false
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                endsWithReturn = byte == UInt8(ascii: "\r")
                endLine()
            default:
                endsWithReturn = false
                line.append(byte)
                guard line.count + (data?.count ?? 0) <= maxBytes else {
                    throw GatewayClientError(.tooLarge, "an event of the answer is longer than \(maxBytes) bytes")
                }
            }
        }
    }

    /// Returns the next complete event; nil when there is none yet.
    mutating func next() -> ServerSentEvent? {
        guard taken < ready.count else { return nil }
        defer { taken += 1 }
        return ready[taken]
    }

    private mutating func endLine() {
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else { return endEvent() }
        let colon = line.firstIndex(of: UInt8(ascii: ":"))
        let field = line[..<(colon ?? line.endIndex)]
        var value = colon.map { line[($0 + 1)...] } ?? []
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        // A comment has an empty field name, which is none of these.
        switch String(decoding: field, as: UTF8.self) {
        case "data":
            if data == nil { data = [] } else { data?.append(UInt8(ascii: "\n")) }
            data? += value
        case "event": name = String(decoding: value, as: UTF8.self)
        case "id": if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        default: break
        }
    }

    private mutating func endEvent() {
        if let data { ready.append(ServerSentEvent(id: id, name: name.isEmpty ? "message" : name, data: data)) }
        (name, data) = ("", nil)
    }
}
