import Upstream

extension GatewayApplication {
    /// The parts that take over settings while the gateway runs. Another part joins with one line.
    var reloadables: [Reloadable] {
        [
            .simple(.logLevel) { [log] in log?.level = $0.logLevel },
            .simple(.generateModel, .embedModel, .logPrompts) { [live] in live.apply($0) },
            .simple(.maxInFlight, .maxWaiting) { [admission] in
                admission.setLimits(AdmissionLimits(maxInFlight: $0.maxInFlight, maxWaiting: $0.maxWaiting))
            },
            .simple(.connectTimeout, .firstByteTimeout, .idleTimeout) { [transport] in
                transport.setTimeouts(
                    connect: $0.upstream.connectTimeout, firstByte: $0.upstream.firstByteTimeout,
                    idle: $0.upstream.idleTimeout)
            },
            .simple(.apiToken) { [keys] in keys.setToken($0.apiToken) },
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
