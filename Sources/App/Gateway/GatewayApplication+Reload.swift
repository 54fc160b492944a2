import LLM
import Logging
import Server

extension GatewayApplication {
    /// The parts that apply changed settings while the gateway runs.
    var reloadables: [Reloadable<GatewayConfiguration>] {
        features.flatMap(\.reloadables) + [
            .simple(.logLevel) { [log] in log?.level = $0.server.logLevel },
            Reloadable(settings: tls == nil ? [] : [.tlsCertificate, .tlsKey]) { [tls] configuration in
                // Turning TLS on or off needs a restart.
                guard let tls, let files = configuration.server.tls else { return {} }
                let context = try tls.context(of: files)
                return { tls.use(context) }
            },
        ]
    }

    /// Reloads and applies the configuration; called for SIGHUP.
    ///
    /// - Returns: Whether the new configuration was applied; false when the gateway was created without `reload`.
    @discardableResult
    package func reloadConfiguration() async -> Bool { await reloader?.reload(because: "asked for") ?? false }
}
