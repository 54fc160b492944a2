package import Telemetry

/// The settings of traces. Without a collector there are none.
///
/// The variables have the names that all programs with OpenTelemetry use.
package struct TelemetrySettings: Sendable {
    /// The settings, in the order in which `selene config` shows them.
    package static let all: [Setting] = [.otlpEndpoint, .otlpHeaders, .traceRatio, .serviceName]

    /// Where traces go; nil for nowhere.
    package var export: TraceExport?
    /// The share of new traces that are recorded, 0 to 1.
    package var ratio = 1.0

    /// Reads and checks the settings. Without a collector the others are not looked at.
    ///
    /// - Throws: ``ConfigurationError``.
    package init(_ reader: SettingsReader) throws {
        guard let endpoint = reader.text(.otlpEndpoint) else { return }
        let text = reader.text(.traceRatio) ?? ""
        guard let ratio = Double(text), (0...1).contains(ratio) else {
            throw ConfigurationError.invalid(
                .traceRatio, text, reader.origin(of: .traceRatio), "a share from 0 to 1, such as 0.1,")
        }
        self.ratio = ratio
        let given = reader.text(.otlpHeaders) ?? ""
        let headers = try Self.checked(.otlpHeaders, given, reader) { () throws(TraceExport.Fault) in
            try TraceExport.headers(given)
        }
        let service = try reader.nonEmptyText(.serviceName)
        export = try Self.checked(.otlpEndpoint, endpoint, reader) { () throws(TraceExport.Fault) in
            try TraceExport(endpoint: endpoint, headers: headers, service: service)
        }
    }

    private static func checked<Value>(
        _ setting: Setting, _ text: String, _ reader: SettingsReader, _ read: () throws(TraceExport.Fault) -> Value
    ) throws(ConfigurationError) -> Value {
        do throws(TraceExport.Fault) {
            return try read()
        } catch {
            throw ConfigurationError.invalid(setting, text, reader.origin(of: setting), error.expected)
        }
    }
}

extension Setting {
    package static let otlpEndpoint = Setting(
        "otel_exporter_otlp_endpoint", environment: "OTEL_EXPORTER_OTLP_ENDPOINT", default: nil,
        "collector for traces, OTLP over HTTP, such as http://127.0.0.1:4318; unset: no traces")
    package static let otlpHeaders = Setting(
        "otel_exporter_otlp_headers", environment: "OTEL_EXPORTER_OTLP_HEADERS", default: nil, secret: true,
        "headers for the collector: NAME=VALUE,NAME=VALUE, percent-encoded")
    package static let traceRatio = Setting(
        "otel_traces_sampler_arg", environment: "OTEL_TRACES_SAMPLER_ARG", default: "1",
        "share of traces to record, 0 to 1, where the caller did not decide")
    package static let serviceName = Setting(
        "otel_service_name", environment: "OTEL_SERVICE_NAME", default: "selene-gateway", "service.name in traces")
}
