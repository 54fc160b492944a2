import Server

extension GatewayConfiguration: ReloadableConfiguration {
    /// The configuration file, whether or not it exists, and the certificate's files.
    package var watchedFiles: [String] {
        filePaths + [server.tls?.certificate, server.tls?.key, server.priceFile].compactMap { $0 }
    }

    /// The file in which a changed setting is stored.
    package var editedFile: String? { file ?? filePaths.first }

    /// Checks that the configuration file still exists.
    ///
    /// - Throws: ``ConfigurationError`` when the file that was read before is gone.
    package func checkReplacing(_ old: GatewayConfiguration) throws {
        guard let before = old.file, file == nil else { return }
        throw ConfigurationError(
            message: "the configuration file \(before), which was read before, is gone; put it back, or restart")
    }

    /// The keys of the settings that differ, in the order of ``effective``.
    package func changes(since old: GatewayConfiguration) -> [String] {
        let before = Dictionary(old.effective.map { ($0.key, $0.value) }) { first, _ in first }
        return effective.filter { setting in
            // `effective` masks secrets, so equal text does not mean equal secrets.
            setting.key == Setting.apiToken.key
                ? server.apiToken != old.server.apiToken : before[setting.key].flatMap { $0 } != setting.value
        }.map(\.key)
    }
}
