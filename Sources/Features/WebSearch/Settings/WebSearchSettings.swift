import Inference
package import Server
package import Transport

/// The settings of web search.
package struct WebSearchSettings: Sendable {
    /// The settings, in the order in which `selene config` shows them.
    package static let all: [Setting] = [.webSearch, .webFetch]

    /// Which pages are fetched for clients.
    package enum Pages: String, Sendable, CaseIterable {
        /// None.
        case off
        /// Those of public addresses.
        case `public`
        /// Those of private networks and of this machine, too.
        case all
    }

    /// The SearXNG server; nil while web search is off.
    package var server: UpstreamConfiguration?
    package var pages: Pages

    /// Reads and checks the settings.
    ///
    /// - Throws: ``ConfigurationError``.
    package init(_ reader: SettingsReader) throws {
        pages = try reader.word(.webFetch, as: Pages.self)
        let text = reader.text(.webSearch) ?? ""
        guard !text.isEmpty else { return }
        guard text.contains("://"), !text.contains("?"), !text.contains("#"),
            var server = try? UpstreamConfiguration(host: text)
        else {
            throw ConfigurationError.invalid(
                .webSearch, text, reader.origin(of: .webSearch),
                "the address of a SearXNG server, such as http://127.0.0.1:8888")
        }
        server.peer = "SearXNG"
        self.server = server
    }
}

extension Setting {
    package static let webSearch = Setting(
        "web_search", default: nil,
        "SearXNG server behind /api/web_search, such as http://127.0.0.1:8888; queries go there; unset: off")
    package static let webFetch = Setting(
        "web_fetch", default: "off",
        "pages that /api/web_fetch reads: off, public (public addresses only), all (private networks and this machine too)"
    )
}
