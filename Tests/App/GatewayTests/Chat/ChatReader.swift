import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import NIOCore
import Storage
import TestSupport
import Transport

/// Reads a run's events as a client does: keeps the text and the last id, and goes on after a cut.
struct ChatReader: Sendable {
    struct Event: Sendable {
        var name: String
        var data: JSONValue

        /// A text of the data; nil for anything else.
        subscript(_ field: String) -> String? {
            if case .object(let fields) = data, case .string(let text)? = fields[field] { text } else { nil }
        }
    }

    let id: String
    var text: [UInt8] = []
    var lastID: String?
    var events: [Event] = []
    /// Connections so far.
    var connections = 0

    init(_ id: String) { self.id = id }

    var string: String { String(decoding: text, as: UTF8.self) }
    var names: [String] { events.map(\.name) }
    var isComplete: Bool { events.last.map { ["done", "failed"].contains($0.name) } ?? false }
    func all(_ name: String) -> [Event] { events.filter { $0.name == name } }
    /// The states in order, without repetitions.
    var states: [String] { all("state").compactMap { $0["state"] } }

    /// Reads until the stream ends, or until so many bytes have arrived and the connection is cut.
    mutating func read(_ gateway: LiveGateway, cutAfter limit: Int = .max) async throws {
        let headers = lastID.map { [(name: "Last-Event-ID", value: $0)] } ?? []
        try await read(gateway.open("GET", "/api/chat/runs/\(id)/events", headers: headers), cutAfter: limit)
    }

    /// Reads a stream that is open.
    mutating func read(_ response: UpstreamResponse, cutAfter limit: Int = .max) async throws {
        connections += 1
        guard response.status == 200 else { throw LiveGateway.UnexpectedStatus(description: "\(response.status)") }
        var (pending, left) = ([UInt8](), limit)
        for try await chunk in response.body {
            let taken = chunk.readableBytesView.prefix(max(0, left))
            left -= taken.count
            pending += taken
            while let end = pending.firstRange(of: Array("\n\n".utf8)) {
                apply(pending[..<end.lowerBound])
                pending.removeSubrange(..<end.upperBound)
            }
            if left <= 0 {
                response.body.cancel()
                return
            }
        }
    }

    /// Reads to the end of the run, however often the stream ends before.
    mutating func readAll(_ gateway: LiveGateway) async throws {
        while !isComplete { try await read(gateway) }
    }

    private mutating func apply(_ block: ArraySlice<UInt8>) {
        var (name, data) = ("", "")
        for line in block.split(separator: UInt8(ascii: "\n")) {
            let line = String(decoding: line, as: UTF8.self)
            if line.hasPrefix("id: ") { lastID = String(line.dropFirst(4)) }
            if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
            if line.hasPrefix("data: ") { data = String(line.dropFirst(6)) }
        }
        guard !name.isEmpty else { return }
        let value = (try? JSONDocument(parsing: Array(data.utf8)))?.value ?? .null
        guard case .object(let object) = value else { return }
        switch name {
        case "delta":
            guard case .integer(let at)? = object["at"], case .string(let piece)? = object["text"] else { return }
            text = text.prefix(Int(at)) + Array(piece.utf8)
            events.append(Event(name: name, data: value))
        case "snapshot":
            guard case .string(let whole)? = object["text"], case .array(let placed)? = object["events"] else { return }
            text = Array(whole.utf8)
            events = placed.compactMap { one in
                guard case .object(let one) = one, case .string(let name)? = one["event"] else { return nil }
                return Event(name: name, data: one["data"] ?? .null)
            }
        default: events.append(Event(name: name, data: value))
        }
    }
}

extension LiveGateway {
    /// A gateway with a note about the tide and one about bread, whose model says these lines.
    static func withTideAndBread(
        _ script: [FakeOllama.Script.Line], in place: NotesPlace = .file, settings: [String: String] = [:],
        _ body: (LiveGateway) async throws -> Void
    ) async throws {
        var options = FakeOllama.Options()
        options.script = FakeOllama.Script(script)
        try await with(options, notesIn: place, settings: settings) { gateway in
            try await gateway.create([
                NoteDraft(title: "spring tide", content: "The greatest range comes after full moon.", createdAt: 1),
                NoteDraft(title: "bread", content: "80% hydration, 500 g of flour.", createdAt: 2, tags: ["kitchen"]),
            ])
            try await body(gateway)
        }
    }

    /// Begins a run and returns it.
    func ask(
        _ question: String, id: String = UUID().uuidString, _ more: [String: Any] = [:], token: String? = nil
    ) async throws -> ChatRun {
        let body = more.merging(["id": id, "question": question]) { $1 }
        let json = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
        let reply = try await post("/api/chat/runs", json, token: token)
        guard reply.status == 201 else { throw UnexpectedStatus(description: "\(reply.status) \(reply.text)") }
        return try JSONDecoder().decode(ChatRun.self, from: reply.data)
    }

    /// The run as it is now.
    func run(_ id: String) async throws -> ChatRun {
        try JSONDecoder().decode(ChatRun.self, from: try await done("GET", "/api/chat/runs/\(id)").data)
    }

    /// Begins a run, reads it to its end and returns both.
    func answer(
        _ question: String, _ more: [String: Any] = [:]
    ) async throws -> (run: ChatRun, reader: ChatReader) {
        var reader = ChatReader(try await ask(question, more).id)
        try await reader.readAll(self)
        return (try await run(reader.id), reader)
    }
}

extension LiveGateway {
    /// The body of the last request that a model of the server worked on. Looks at the server and its models come at any time.
    var lastAsked: String {
        fake.received.last { !$0.body.isEmpty && !$0.target.hasPrefix("/api/show") }?.body ?? ""
    }
}
