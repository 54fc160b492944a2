package import Logging
package import Push

/// The channels of the gateway, one of each kind at most.
package struct PushChannelSet: Sendable {
    private let channels: [PushChannelKind: any PushChannel]

    /// Creates a set; of two channels of one kind the later one counts.
    package init(_ channels: [any PushChannel]) {
        self.channels = Dictionary(channels.map { ($0.kind, $0) }) { _, later in later }
    }

    /// The channels that have the settings that they need.
    ///
    /// - Throws: ``PushFieldError`` with the name of the setting.
    package init(_ settings: PushChannelSettings, logger: Logger) throws(PushFieldError) {
        var channels: [any PushChannel] = []
        for kind in PushChannelKind.allCases {
            if let channel = try kind.form.init(settings).channel(logger) { channels.append(channel) }
        }
        self.init(channels)
    }

    /// The channel of a kind; nil when it is not configured.
    package subscript(kind: PushChannelKind) -> (any PushChannel)? { channels[kind] }

    /// The set with a channel in the place of the one of its kind.
    package func replacing(_ channel: any PushChannel) -> PushChannelSet {
        PushChannelSet(Array(channels.values) + [channel])
    }

    /// Ends all channels at once.
    package func shutdown(within timeout: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            for channel in channels.values { group.addTask { await channel.shutdown(within: timeout) } }
        }
    }
}
