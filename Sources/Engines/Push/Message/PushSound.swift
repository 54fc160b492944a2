import GatewayAPI

/// What a notification plays.
package struct PushSound: Sendable, Hashable {
    /// `default`, or the name of a sound file in the app.
    package var name: String
    /// Whether it is played through the mute switch; needs an entitlement of Apple's.
    package var isCritical: Bool
    /// 0 for silence to 1 for full volume; counts for critical sounds only.
    package var volume: Double

    /// Creates a sound without checking it.
    package init(_ name: String = "default", isCritical: Bool = false, volume: Double = 1) {
        self.name = name
        self.isCritical = isCritical
        self.volume = volume
    }

    /// Reads a name, or an object with `name`, `critical` and `volume`.
    init(_ value: JSONValue, field: String) throws(PushFieldError) {
        if case .string(let name) = value {
            self.init(name)
            return
        }
        guard case .object = value else { throw PushFieldError(field, "expected a name or an object") }
        var reader = try FieldReader(value, field: field)
        self.init(
            try reader.text("name") ?? "default", isCritical: try reader.flag("critical") ?? false,
            volume: try reader.number("volume") ?? 1)
        try reader.finish()
    }

    func check(_ field: String) throws(PushFieldError) {
        try FieldLimits.name(name, field, limit: PushMessage.Limits.name)
        guard !name.contains("/"), !name.hasPrefix(".") else {
            throw PushFieldError(field, "expected a name, not a path")
        }
        try FieldLimits.range(volume, field + ".volume", 0...1)
    }

    var json: JSONValue {
        guard isCritical || volume != 1 else { return .string(name) }
        return .object(["name": .string(name), "critical": .bool(isCritical), "volume": .number(volume)])
    }
}
