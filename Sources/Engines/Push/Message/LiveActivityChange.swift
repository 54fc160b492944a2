package import GatewayAPI
package import Schedules

/// A change of a Live Activity on an iPhone.
package struct LiveActivityChange: Sendable, Hashable {
    /// What happens to the activity.
    package enum Event: String, Sendable, CaseIterable {
        /// It appears; needs ``LiveActivityChange/attributesType``.
        case start
        /// It shows another state.
        case update
        /// It shows its last state and goes away.
        case end
    }

    /// How a started activity gets updates later.
    package enum Updates: Hashable, Sendable {
        /// By a token of its own, which the app reports.
        case token
        /// By a channel that all activities of the same kind share.
        case channel(id: String)
    }

    /// What happens.
    package var event: Event
    /// The state that the activity shows, as the app's type encodes it.
    package var state: [String: JSONValue]
    /// The name of the app's type of attributes, for a start.
    package var attributesType: String?
    /// The attributes that never change, for a start.
    package var attributes: [String: JSONValue]
    /// When the state happened. The device ignores states that are older than what it shows.
    package var time: Instant
    /// When the state counts as out of date.
    package var stale: Instant?
    /// When an ended activity goes away; nil for the system's default, four hours.
    package var dismissal: Instant?
    /// The order among activities of the app; the highest one is shown.
    package var relevance: Double?
    /// How a started activity gets updates.
    package var updates: Updates?

    /// Creates a change without checking it.
    package init(
        _ event: Event, state: [String: JSONValue], time: Instant, attributesType: String? = nil,
        attributes: [String: JSONValue] = [:]
    ) {
        self.event = event
        self.state = state
        self.time = time
        self.attributesType = attributesType
        self.attributes = attributes
    }

    func check(_ field: String) throws(PushFieldError) {
        let limit = PushMessage.Limits.data
        try FieldLimits.object(state, field + ".state", limit: limit)
        try FieldLimits.object(attributes, field + ".attributes", limit: limit)
        try FieldLimits.name(attributesType, field + ".attributes_type", limit: PushMessage.Limits.name)
        try FieldLimits.range(relevance, field + ".relevance", 0...1000)
        if case .channel(let id) = updates { try FieldLimits.name(id, field + ".channel", limit: 64) }
        if event == .start {
            guard attributesType != nil else {
                throw PushFieldError(field + ".attributes_type", "is required for a start")
            }
        } else {
            guard attributesType == nil, attributes.isEmpty else {
                throw PushFieldError(field + ".attributes", "belong to a start only")
            }
            guard updates == nil else { throw PushFieldError(field + ".updates", "belong to a start only") }
        }
        guard event == .end || dismissal == nil else {
            throw PushFieldError(field + ".dismissal", "belongs to an end only")
        }
    }
}
