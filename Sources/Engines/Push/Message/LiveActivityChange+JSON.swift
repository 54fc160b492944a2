import GatewayAPI
import Schedules

extension LiveActivityChange {
    /// Reads a change. Instants are whole seconds since 1970.
    init(_ value: JSONValue) throws(PushFieldError) {
        let field = "activity"
        var reader = try FieldReader(value, field: field)
        guard let event = try reader.choice("event", of: Event.self) else {
            throw PushFieldError(field + ".event", "is required")
        }
        guard let state = try reader.object("state") else { throw PushFieldError(field + ".state", "is required") }
        guard let time = try reader.integer("time") else { throw PushFieldError(field + ".time", "is required") }
        self.init(
            event, state: state, time: Instant(seconds: time), attributesType: try reader.text("attributes_type"),
            attributes: try reader.object("attributes") ?? [:])
        stale = try reader.integer("stale").map(Instant.init(seconds:))
        dismissal = try reader.integer("dismissal").map(Instant.init(seconds:))
        relevance = try reader.number("relevance")
        let token = try reader.flag("token")
        switch (try reader.text("channel"), token) {
        case (let id?, nil), (let id?, false): updates = .channel(id: id)
        case (nil, true): updates = .token
        case (nil, _): updates = nil
        case (_?, true): throw PushFieldError(field + ".channel", "excludes \"token\": true")
        }
        try reader.finish()
    }

    var json: JSONValue {
        var members: [String: JSONValue] = [
            "event": .string(event.rawValue), "state": .object(state), "time": .integer(time.seconds),
        ]
        members["attributes_type"] = attributesType.map(JSONValue.string)
        if !attributes.isEmpty { members["attributes"] = .object(attributes) }
        members["stale"] = stale.map { .integer($0.seconds) }
        members["dismissal"] = dismissal.map { .integer($0.seconds) }
        members["relevance"] = relevance.map(JSONValue.number)
        switch updates {
        case .token: members["token"] = .bool(true)
        case .channel(let id): members["channel"] = .string(id)
        case nil: break
        }
        return .object(members)
    }
}
