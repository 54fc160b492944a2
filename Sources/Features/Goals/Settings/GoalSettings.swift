package import Server

/// The settings of goals.
public struct GoalSettings: Sendable {
    /// All settings of this feature, in the order of `selene config`.
    package static let all: [Setting] = [.goalsZone, .goalsDayStart, .goalsConfirm]

    /// The zone of the person's days, an IANA name; nil for the zone of this machine.
    public var zone: String?
    /// Minutes after midnight at which the person's days begin.
    public var dayStart: Int
    /// Whether what was read without doubt is logged without a confirmation.
    public var confirmsAtOnce: Bool

    /// Reads and checks the settings.
    ///
    /// - Throws: ``ConfigurationError``.
    package init(_ reader: SettingsReader) throws {
        let name = reader.text(.goalsZone) ?? ""
        zone = name.isEmpty || name == "auto" ? nil : name
        dayStart = try reader.integer(.goalsDayStart, in: 0...1439)
        confirmsAtOnce = try reader.word(.goalsConfirm, as: Choice.self) == .atOnce
    }

    private enum Choice: String, CaseIterable {
        case ask
        case atOnce = "at_once"
    }
}

extension Setting {
    package static let goalsZone = Setting(
        "goals_zone", default: "auto", "zone of the person's days, such as Europe/Berlin; auto: that of this machine")
    package static let goalsDayStart = Setting(
        "goals_day_start", default: "0", "minutes after midnight at which the person's days begin, for example 240")
    package static let goalsConfirm = Setting(
        "goals_confirm", default: "ask", "ask: proposals wait for a person; at_once: those without doubt are logged")
}
