import ChatRoom
import ChatRun
import GatewayAPI
import Storage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The data of a `citation` event.
struct VerdictsEvent: Codable {
    var citations: [ChatCitation]
    var sentences: [ChatSentence]
}

/// The data of a `passages` event.
struct PassagesEvent: Codable {
    var passages: [ChatPassage]
}

extension RunEvent {
    /// Encodes a value as an event's data.
    init(_ kind: Kind, encoding value: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Only a number that JSON cannot represent fails; the event is then empty.
        let json = (try? encoder.encode(value)).map { Array($0) } ?? Array("{}".utf8)
        self.init(kind, json: json)
    }
}

/// The data of a `state` event.
enum StateJSON {
    static func of(_ phase: RunPhase) -> JSONValue {
        var members: [String: JSONValue] = ["state": .string(phase.word), "progress": .number(phase.progress)]
        if let place = phase.place { members["place"] = .integer(Int64(place)) }
        if case .toolRound(let round) = phase { members["round"] = .integer(Int64(round)) }
        return .object(members)
    }
}

extension RunPhase {
    /// The place in a queue; nil outside of one.
    var place: Int? {
        switch self {
        case .queued(let place), .waiting(let place): place
        default: nil
        }
    }
}

/// The events of a run that the database has.
enum StoredEvents {
    static func of(_ record: ChatRecord, textBytes: Int) -> [RunSnapshot.Placed] {
        var events: [RunSnapshot.Placed] = []
        if let search = record.search { events.append(.init(offset: 0, event: RunEvent(.search, encoding: search))) }
        if !record.passages.isEmpty {
            let data = PassagesEvent(passages: record.passages)
            events.append(.init(offset: 0, event: RunEvent(.passages, encoding: data)))
        }
        events += record.tools.map { .init(offset: 0, event: RunEvent(.tool, encoding: $0)) }
        if !record.citations.isEmpty || !record.sentences.isEmpty {
            let data = VerdictsEvent(citations: record.citations, sentences: record.sentences)
            events.append(.init(offset: textBytes, event: RunEvent(.citation, encoding: data)))
        }
        if let usage = record.usage {
            events.append(.init(offset: textBytes, event: RunEvent(.usage, encoding: usage)))
        }
        return events
    }

    /// The last event of a run that has ended.
    static func end(of run: ChatRun) -> RunEvent {
        var members: [String: JSONValue] = ["state": .string(run.state.rawValue), "is_stored": .bool(true)]
        if let message = run.message { members["message"] = .integer(message) }
        if let error = run.error { members["error"] = .string(error) }
        if let reason = run.stopReason { members["stop_reason"] = .string(reason) }
        return RunEvent(run.state == .failed ? .failed : .done, .object(members))
    }
}

extension ChatRun {
    /// The run as clients see it, from its row.
    init(_ stored: StoredChatRun, options: RunPlan.Options) {
        self.init(
            id: stored.id, session: stored.session, question: stored.question, kind: options.kind,
            scope: options.scope, model: stored.model, strict: options.strict, state: stored.state,
            createdAt: stored.createdAt)
        progress = stored.state.isFinal ? 1 : 0
        text = stored.text
        record = stored.record
        error = stored.error
        stopReason = stored.stopReason
        life = stored.life
        userMessage = stored.userMessage
        message = stored.message
        updatedAt = stored.updatedAt
    }
}
