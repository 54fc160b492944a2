package import Server

/// The settings of embedding backfill.
package struct BackfillSettings: Sendable {
    /// The settings, in the order in which `selene config` shows them.
    package static let all: [Setting] = [.backfill, .switchShare]

    /// Whether a server embeds new notes without being asked.
    package var followsNotes: Bool
    /// The least share of the notes, 0 to 1, at which a job may switch the active embedding space.
    package var switchShare: Double

    /// Reads and checks the settings.
    ///
    /// - Throws: ``ConfigurationError``.
    package init(_ reader: SettingsReader) throws {
        let backfill = reader.text(.backfill) ?? ""
        guard ["auto", "off"].contains(backfill) else {
            throw ConfigurationError.invalid(.backfill, backfill, reader.origin(of: .backfill), "auto or off")
        }
        followsNotes = backfill == "auto"
        switchShare = Double(try reader.integer(.switchShare, in: 1...100)) / 100
    }
}

extension Setting {
    package static let backfill = Setting(
        "backfill", default: "auto", editable: true, "embed new notes while serving: auto or off")
    package static let switchShare = Setting(
        "switch_share", default: "50", editable: true,
        "percent of notes that a new embedding space needs before a job switches")
}
