import Machine

/// Checks that the process may open enough files and connections.
package enum DescriptorCheck {
    /// The least limit. The database, the index and the upstreams take some 100; the rest is for clients.
    package static let least = 512

    /// Raises the limit as far as the system allows.
    ///
    /// - Throws: ``ConfigurationError`` when it stays below ``least``.
    package static func check(_ settings: ServerSettings) throws(ConfigurationError) {
        try check(limit: DescriptorLimit.raise(to: max(least, settings.maxConnections * 2 + 1024)))
    }

    static func check(limit: Int) throws(ConfigurationError) {
        guard limit < least else { return }
        throw ConfigurationError(
            message:
                "refusing to start with a limit of \(limit) open files: clients would get errors. Expected at least "
                + "\(least); raise the limit with `ulimit -n 4096`, or LimitNOFILE= in the service's unit")
    }
}
