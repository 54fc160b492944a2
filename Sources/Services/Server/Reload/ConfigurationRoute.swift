import GatewayAPI
import HTTPTypes
package import Hummingbird

/// `GET /api/admin/config`: the settings in force, and what a reload would change.
package struct ConfigurationRoute<Configuration: ReloadableConfiguration>: Sendable {
    private let reloader: ConfigurationReloader<Configuration>?
    private let configuration: Configuration

    /// Serves the settings of a reloader; those of the start when there is none.
    package init(_ reloader: ConfigurationReloader<Configuration>?, startedWith configuration: Configuration) {
        (self.reloader, self.configuration) = (reloader, configuration)
    }

    /// Answers with the report. It reads the configuration's files.
    package func handle(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let report = await reloader?.report()
        return JSONReply.response(
            report
                ?? ConfigurationReport(
                    file: configuration.file, problem: nil,
                    settings: configuration.effective.map { SettingInForce($0, isLive: false, next: nil) }))
    }
}

extension ConfigurationRoute {
    /// `PATCH /api/admin/config`: changes a setting in the configuration's file. Answers with the report.
    package func change(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let change = try await JSONRequest.decode(SettingChange.self, from: request, limit: 64 << 10, in: context)
        // Never the value, which may be a secret.
        context.audits(change.key)
        guard let reloader else {
            throw GatewayError(
                .conflict, .fixedSetting, "this gateway was started without a configuration that can be changed")
        }
        return JSONReply.response(try await reloader.change(change.key, to: change.value))
    }
}

extension GatewayError.Code {
    /// Flags, the environment or the gateway's own machine decide about the setting.
    static let fixedSetting = GatewayError.Code(rawValue: "fixed_setting")
}

extension ConfigurationReloader {
    /// The settings in force, and what the layers say now.
    func report() -> ConfigurationReport {
        let live = Set(parts.flatMap { $0.settings.map(\.key) })
        let before = Dictionary(initial.effective.map { ($0.key, $0) }) { first, _ in first }
        var wanted: [String: EffectiveSetting] = [:]
        var changed: Set<String> = []
        var problem: String?
        do {
            let next = try load(nil)
            try next.checkReplacing(current)
            wanted = Dictionary(next.effective.map { ($0.key, $0) }) { first, _ in first }
            // A setting that needs a restart still has the value of the start.
            changed = Set(next.changes(since: current)).intersection(live)
                .union(Set(next.changes(since: initial)).subtracting(live))
        } catch {
            problem = "\(error)"
        }
        let settings = current.effective.map { setting in
            let isLive = live.contains(setting.key)
            let next = changed.contains(setting.key) ? wanted[setting.key] : nil
            return SettingInForce(
                isLive ? setting : before[setting.key] ?? setting, isLive: isLive,
                next: next.map { .init(value: $0.value, origin: $0.origin) })
        }
        return ConfigurationReport(file: current.file, problem: problem, settings: settings)
    }
}

extension SettingInForce {
    fileprivate init(_ setting: EffectiveSetting, isLive: Bool, next: Change?) {
        self.init(
            key: setting.key, value: setting.value, origin: setting.origin, environment: setting.environment,
            summary: setting.summary, fallback: setting.fallback, isEditable: setting.isEditable, isLive: isLive,
            next: next)
    }
}
