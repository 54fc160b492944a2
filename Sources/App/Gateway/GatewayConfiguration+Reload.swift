import Server

extension GatewayConfiguration: ReloadableConfiguration {
    /// The configuration file, be it there or not, and the files of the certificate.
    package var watchedFiles: [String] { [filePath, server.tls?.certificate, server.tls?.key].compactMap { $0 } }

    /// - Throws: ``ConfigurationError`` when the file that was read before is gone.
    package func checkReplacing(_ old: GatewayConfiguration) throws {
        guard let before = old.file, file == nil else { return }
        throw ConfigurationError(
            message: "the configuration file \(before), which was read before, is not there any more")
    }

    /// The keys of the settings that differ, in their order.
    package func changes(since old: GatewayConfiguration) -> [String] {
        let before = Dictionary(old.effective.map { ($0.key, $0.value) }) { first, _ in first }
        return effective.filter { setting in
            // A secret looks the same whatever it is.
            setting.key == Setting.apiToken.key
                ? server.apiToken != old.server.apiToken : before[setting.key].flatMap { $0 } != setting.value
        }.map(\.key)
    }
}
