/// The words of ``AuthorityPage`` in one language, as HTML.
struct AuthorityWords: Sendable {
    /// What to do on one system.
    struct Steps: Sendable {
        var name: String
        var list: [String]
        var hint: String?
    }

    var language: String
    var title: String
    var why: String
    var compare: String
    var compareHow: String
    var install: String
    var der: String
    var pem: String
    var harmless: String
    var this: String
    var after: String
    var afterHow: String
    var open: String
    var other: String
    var otherHow: String
    var qr: String
    var iOS: Steps
    var android: Steps
    var macOS: Steps
    var windows: Steps
    var linux: Steps
    var firefox: Steps

    func steps(_ system: AuthorityPage.System) -> Steps {
        switch system {
        case .iOS: iOS
        case .android: android
        case .macOS: macOS
        case .windows: windows
        case .linux: linux
        case .firefox: firefox
        }
    }

    /// The language that a browser names first, of those that the page has; English when it names none.
    static func preferred(by headers: [String]) -> AuthorityWords {
        var best: (isGerman: Bool, weight: Double) = (false, 0)
        // The first of several with the same weight.
        for part in headers.joined(separator: ",").lowercased().split(separator: ",").prefix(32) {
            let parts = part.split(separator: ";").map { $0.filter { $0 != " " } }
            let language = parts.first?.split(separator: "-").first ?? ""
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if language == "en" || language == "de", weight > best.weight { best = (language == "de", weight) }
        }
        return best.isGerman ? .german : .english
    }
}
