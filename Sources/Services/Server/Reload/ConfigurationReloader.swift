import GatewayAPI
import HTTPTypes
package import Logging
import Machine
import ServiceLifecycle
import Text

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Reloads the configuration of a running gateway, on request and when a file has changed.
///
/// Open requests and connections are not affected. An invalid configuration is logged with the reason, and the whole
/// old one stays in force. Settings that need a restart are logged, too.
package actor ConfigurationReloader<Configuration: ReloadableConfiguration> {
    /// The interval between checks of the files.
    package static var interval: Duration { .seconds(1) }

    let load: @Sendable (Data?) throws -> Configuration
    let parts: [Reloadable<Configuration>]
    private let check: @Sendable (_ current: Configuration, _ wanted: Configuration) async throws -> Void
    /// Gets the keys of the settings that a reload changed.
    private let applied: @Sendable (_ reason: String, _ changed: [String]) -> Void
    private let metrics: GatewayMetrics
    private let logger: Logger
    let initial: Configuration
    private(set) var current: Configuration
    private var stamps: [String: FileStamp?]
    /// Changed settings that need a restart.
    private(set) var pending: Set<String> = []
    /// The latest reload; the next one waits for it.
    private var latest: Task<Bool, Never>?

    /// Creates a reloader.
    ///
    /// - Parameters:
    ///   - current: The configuration in force.
    ///   - load: Reads the layers again, with a text instead of that of the file when it gets one.
    ///   - check: Rejects a configuration for reasons that its values alone do not show. Gets the one in force and the
    ///     new one.
    ///   - applied: Called after a reload that changed settings, with its reason and their keys; not for ``change(_:to:)``.
    package init(
        current: Configuration, load: @escaping @Sendable (Data?) throws -> Configuration,
        parts: [Reloadable<Configuration>],
        check: @escaping @Sendable (_ current: Configuration, _ wanted: Configuration) async throws -> Void,
        applied: @escaping @Sendable (_ reason: String, _ changed: [String]) -> Void = { _, _ in },
        metrics: GatewayMetrics, logger: Logger
    ) {
        self.applied = applied
        initial = current
        self.current = current
        self.load = load
        self.parts = parts
        self.check = check
        self.metrics = metrics
        self.logger = logger
        stamps = Self.stamps(of: current)
    }

    /// The reason of a reload for which nobody asked.
    package static var fileChanged: String { "a file has changed" }

    /// Watches the files until shutdown.
    package func watch() async {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: Self.interval)) != nil { await self.reloadIfChanged() }
        }
    }

    /// Reloads when a file has changed.
    func reloadIfChanged() async {
        let now = Self.stamps(of: current)
        guard now != stamps else { return }
        stamps = now
        await reload(because: Self.fileChanged)
    }

    /// Reads the configuration again and applies it.
    ///
    /// - Returns: Whether it was applied.
    @discardableResult
    package func reload(because reason: String) async -> Bool {
        let before = latest
        let reload = Task {
            _ = await before?.value
            return await self.reloadOnce(because: reason)
        }
        latest = reload
        return await reload.value
    }

    /// Sets a key in the configuration's file and applies it; nil stands for the default.
    ///
    /// - Throws: ``GatewayError`` when the setting cannot be changed here, or the value is wrong.
    func change(_ key: String, to value: String?) async throws -> ConfigurationReport {
        let before = latest
        let change = Task {
            _ = await before?.value
            try await self.changeOnce(key, to: value)
        }
        latest = Task { (try? await change.value) != nil }
        try await change.value
        return report()
    }

    private func changeOnce(_ key: String, to value: String?) async throws {
        let known = current.effective
        guard let setting = known.first(where: { $0.key == key }) else {
            let near = NearestName.question(key, among: known.map(\.key)).map { "; \($0)" } ?? ""
            throw GatewayError.field("key", "there is no setting \"\(key)\"\(near)")
        }
        guard setting.isEditable, let file = current.editedFile else {
            let place =
                switch setting.origin {
                case "flag": "a flag of the command that started the gateway sets it"
                case "environment": "the environment variable \(setting.environment) sets it"
                default: "it is changed on the gateway's own machine, in its configuration file"
                }
            throw GatewayError(.conflict, .fixedSetting, "\"\(key)\" cannot be changed here: \(place)")
        }
        do {
            try await ConfigurationFile.set(key, to: value, in: file) { text in
                let wanted = try load(text)
                try wanted.checkReplacing(current)
                try await check(current, wanted)
            }
        } catch let error as ConfigurationError {
            throw GatewayError.field("value", error.message)
        }
        _ = await reloadOnce(because: "an administrator changed \(key)", tells: false)
    }

    private func reloadOnce(because reason: String, tells: Bool = true) async -> Bool {
        do {
            // A file that changes from here on is part of the next reload.
            let before = Self.stamps(of: current)
            let wanted = try load(nil)
            try wanted.checkReplacing(current)
            let stampsThen = Self.stamps(of: wanted).merging(before.filter { wanted.watchedFiles.contains($0.key) }) {
                $1
            }
            try await check(current, wanted)
            let actions = try parts.map { try $0.prepare(wanted) }
            for action in actions { action() }
            report(wanted, reason)
            let changed = wanted.changes(since: current)
            if tells, !changed.isEmpty { applied(reason, changed) }
            current = wanted
            stamps = stampsThen
            metrics.reloads["applied"].add()
            return true
        } catch {
            metrics.reloads["refused"].add()
            logger.error(
                "the configuration was not reloaded; the old one stays in force",
                metadata: ["trigger": "\(reason)", "reason": "\(error)"])
            return false
        }
    }

    private func report(_ wanted: Configuration, _ reason: String) {
        let live = Set(parts.flatMap { $0.settings.map(\.key) })
        let changed = wanted.changes(since: current)
        pending = Set(wanted.changes(since: initial)).subtracting(live)
        logger.notice(
            "configuration reloaded",
            metadata: [
                "trigger": "\(reason)",
                "changed": "\(changed.isEmpty ? "nothing" : changed.filter(live.contains).joined(separator: ", "))",
            ])
        if !pending.isEmpty {
            logger.warning(
                "settings that need a restart have changed",
                metadata: ["settings": "\(pending.sorted().joined(separator: ", "))"])
        }
    }

    private static func stamps(of configuration: Configuration) -> [String: FileStamp?] {
        Dictionary(configuration.watchedFiles.map { ($0, FileStamp(path: $0)) }) { first, _ in first }
    }
}
