package import Server

/// The settings of the notes API and of its workflows.
package struct NotesSettings: Sendable {
    /// The settings, in the order in which `selene config` shows them.
    package static let all: [Setting] = [.export, .workflows, .briefingAt, .threadsModel]

    /// What the gateway does with the notes by itself.
    package enum Workflow: String, Sendable, CaseIterable {
        /// Makes the briefing of each day.
        case briefing
        /// Groups notes and proposes threads.
        case threads
        /// Finds tasks in new and changed notes each day.
        case actions
    }

    /// The folder that notes are exported to; nil for none.
    package var exportFolder: String?
    /// The workflows that are switched on.
    package var workflows: Set<Workflow>
    /// Minutes after midnight from which the workflows of a day run.
    package var briefingMinute: Int
    /// The model that names proposed threads and says what their notes say; nil for none.
    package var threadsModel: String?

    package init(exportFolder: String? = nil, workflows: Set<Workflow>, briefingMinute: Int) {
        self.exportFolder = exportFolder
        self.workflows = workflows
        self.briefingMinute = briefingMinute
    }

    /// Reads and checks the settings.
    ///
    /// - Throws: ``ConfigurationError``.
    package init(_ reader: SettingsReader) throws {
        exportFolder = reader.path(.export)
        let text = reader.text(.workflows) ?? ""
        let names = text == "off" ? [] : text.split { $0 == "," || $0.isWhitespace }.map(String.init)
        workflows = Set(names.compactMap(Workflow.init))
        guard names.allSatisfy({ Workflow(rawValue: $0) != nil }) else {
            let expected = "off, or a list of " + Workflow.allCases.map(\.rawValue).joined(separator: ", ")
            throw ConfigurationError.invalid(.workflows, text, reader.origin(of: .workflows), expected)
        }
        let time = reader.text(.briefingAt) ?? ""
        guard let minute = Self.minute(time) else {
            throw ConfigurationError.invalid(
                .briefingAt, time, reader.origin(of: .briefingAt), "a time of day such as 07:00")
        }
        briefingMinute = minute
        threadsModel = reader.text(.threadsModel)
    }

    /// Minutes after midnight of a time such as `07:00`; nil for other text.
    private static func minute(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let isTime =
            parts.count == 2
            && parts.allSatisfy { $0.utf8.count == 2 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        guard isTime, let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60 else { return nil }
        return hour * 60 + minute
    }
}

extension Setting {
    package static let export = Setting(
        "export", default: nil, "folder for the Markdown export of notes; unset: no export")
    package static let workflows = Setting(
        "workflows", default: "briefing,threads,actions", editable: true,
        "what the gateway does with the notes by itself each day: briefing, threads, actions; off: nothing")
    package static let briefingAt = Setting(
        "briefing_at", default: "07:00", editable: true, "local time from which on the workflows run each day")
    package static let threadsModel = Setting(
        "threads_model", default: nil, editable: true,
        "model that phrases names and summaries of proposed threads; unset: their most distinctive words")
}
