package import Server

/// The settings of the notes API.
public struct NotesSettings: Sendable {
    /// The settings, in the order in which `selene config` shows them.
    package static let all: [Setting] = [.export]

    /// The folder that notes are exported to; nil for none.
    public var exportFolder: String?

    /// Reads the settings.
    package init(_ reader: SettingsReader) { exportFolder = reader.path(.export) }
}

extension Setting {
    package static let export = Setting(
        "export", default: nil, "folder for the Markdown export of notes; unset: no export")
}
