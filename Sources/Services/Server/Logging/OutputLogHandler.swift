import Logging

/// Writes to a ``LogOutput`` and uses its level unless the logger has its own.
struct OutputLogHandler: LogHandler {
    let label: String
    let output: LogOutput
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    private var ownLevel: Logger.Level?

    init(label: String, output: LogOutput) {
        self.label = label
        self.output = output
    }

    var logLevel: Logger.Level {
        get { ownLevel ?? output.level }
        set { ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var facts = metadata
        if let provided = metadataProvider?.get() { facts.merge(provided) { $1 } }
        if let explicit = event.metadata { facts.merge(explicit) { $1 } }
        if let error = event.error { facts["error"] = "\(error)" }
        output.append(
            LogLine(format: output.format, label: label).bytes(
                level: event.level, message: event.message.description, source: event.source, metadata: facts),
            isUrgent: event.level >= .notice)
    }
}
