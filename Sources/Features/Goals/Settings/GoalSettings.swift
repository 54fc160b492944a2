import GatewayAPI
package import Server

package struct GoalSettings: Sendable {
    /// All settings of this feature, in the order of `selene config`.
    package static let all: [Setting] = [
        .goalsZone, .goalsDayStart, .goalsConfirm, .goalsNudgeAt, .goalsModel,
    ]

    /// The zone of the person's days, an IANA name; nil for the zone of this machine.
    package var zone: String?
    /// Minutes after midnight at which the person's days begin.
    package var dayStart: Int
    /// Whether what was read without doubt is logged without a confirmation.
    package var confirmsAtOnce: Bool
    /// Minutes after midnight from which on goals remind of themselves; nil for never.
    package var nudgeMinute: Int?

    /// The model that reads what the parser leaves; nil for none.
    package var model: String?

    /// Reads and checks the settings.
    ///
    /// - Throws: ``ConfigurationError``.
    package init(_ reader: SettingsReader) throws {
        let name = reader.text(.goalsZone) ?? ""
        zone = name.isEmpty || name == "auto" ? nil : name
        dayStart = try reader.integer(.goalsDayStart, in: 0...1439)
        confirmsAtOnce = try reader.word(.goalsConfirm, as: Choice.self) == .atOnce
        nudgeMinute = try Self.minute(reader)
        let named = reader.text(.goalsModel) ?? ""
        model = named.isEmpty || named == "off" ? nil : named
    }

    /// A time such as `19:30`; nil for `off`.
    private static func minute(_ reader: SettingsReader) throws -> Int? {
        let text = reader.text(.goalsNudgeAt) ?? "off"
        if text == "off" { return nil }
        guard let minute = GoalReminder(at: text).minute else {
            throw ConfigurationError.invalid(
                .goalsNudgeAt, text, reader.origin(of: .goalsNudgeAt), "off or a time such as 19:30")
        }
        return minute
    }

    private enum Choice: String, CaseIterable {
        case ask
        case atOnce = "at_once"
    }
}

extension Setting {
    package static let goalsZone = Setting(
        "goals_zone", default: "auto", editable: true,
        "zone of the person's days, such as Europe/Berlin; auto: that of this machine")
    package static let goalsDayStart = Setting(
        "goals_day_start", default: "0", editable: true,
        "minutes after midnight at which the person's days begin, for example 240")
    package static let goalsConfirm = Setting(
        "goals_confirm", default: "ask", editable: true,
        "ask: proposals wait for a person; at_once: those without doubt are logged")
    package static let goalsModel = Setting(
        "goals_model", default: "off", editable: true,
        "model on a machine of yours that reads what the parser leaves of an utterance, such as llama3.2; off: none")
    package static let goalsNudgeAt = Setting(
        "goals_nudge_at", default: "off", editable: true,
        "time of the day, such as 19:30, from which on due goals with nothing logged notify; off: never")
}
