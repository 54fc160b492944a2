package import Push

/// How the gateway reaches APNs.
package struct APNsSettings: Sendable {
    /// Signs the provider tokens.
    package var signer: APNsSigner
    /// Origins that take the place of Apple's, such as port 2197 or a stand-in: `https://` and a host, with or without a
    /// port.
    package var origins: [APNsEnvironment: String] = [:]
    /// A file with the certificates (PEM) of the authorities to trust; nil for those of the system.
    package var authorities: String?
    /// Where provider tokens outlive the process; nil for nowhere.
    package var tokenFile: APNsTokenFile?
    /// How long APNs may take to answer. A connection that is silent for that long is dropped.
    package var timeout = Duration.seconds(8)

    /// The most concurrent streams on the connection of an environment.
    static let streams = 100
    /// The most pushes of an environment that wait or are on their way. Each hundred of them waits for the answers to the
    /// hundred before, so that all have ended within ``PushLimits/attempt`` seconds.
    static let pushes = 3 * streams

    /// Creates settings with Apple's addresses.
    package init(signer: APNsSigner) { self.signer = signer }

    func origin(_ environment: APNsEnvironment) -> String { origins[environment] ?? environment.origin }
}
