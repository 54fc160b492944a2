package import Logging

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Writes each line to standard error at once, in the form of ``LogOutput``. For short-lived commands.
package struct StandardErrorLogHandler: LogHandler {
    /// The lowest level that is logged.
    package var logLevel: Logger.Level
    /// Facts of every line.
    package var metadata: Logger.Metadata = [:]
    /// Provides more facts for every line.
    package var metadataProvider: Logger.MetadataProvider?
    private let label: String

    package init(label: String, level: Logger.Level) {
        self.label = label
        logLevel = level
    }

    /// A fact of every line.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a line.
    package func log(event: LogEvent) {
        var facts = metadata
        if let provided = metadataProvider?.get() { facts.merge(provided) { $1 } }
        if let explicit = event.metadata { facts.merge(explicit) { $1 } }
        if let error = event.error { facts["error"] = "\(error)" }
        let line = LogLine(format: .text, label: label).bytes(
            level: event.level, message: event.message.description, source: event.source, metadata: facts)
        // One call writes the whole line. A closed or full standard error loses it.
        unsafe line.withUnsafeBytes { _ = unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
