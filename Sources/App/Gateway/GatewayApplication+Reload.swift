import Logging
import Server

extension GatewayApplication {
    /// The parts that take over settings while the gateway runs. Another part joins with one line.
    var reloadables: [Reloadable<GatewayConfiguration>] {
        features.flatMap(\.reloadables) + [
            .simple(.logLevel) { [log] in log?.level = $0.logLevel },
            Reloadable(settings: tls == nil ? [] : [.tlsCertificate, .tlsKey]) { [tls] configuration in
                // Whether there is TLS at all is for a restart to change.
                guard let tls, let files = configuration.tls else { return {} }
                let context = try TLSIdentity.context(of: files)
                return { tls.use(context) }
            },
        ]
    }

    /// Reads the configuration again and takes it over; for SIGHUP.
    ///
    /// - Returns: Whether it was taken over; false also when the gateway was made without a way to read it again.
    @discardableResult
    public func reloadConfiguration() async -> Bool { await reloader?.reload(because: "asked for") ?? false }
}
