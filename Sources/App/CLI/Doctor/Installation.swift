import Foundation
import GatewayAPI
import Storage

/// How this program came to the machine. It decides how to update it.
enum Installation: Sendable {
    /// A Debian package.
    case package
    /// The image of `Sources/Packaging/Containerfile`.
    case image
    case homebrew
    /// `make install`, or an archive of `make dist`.
    case source

    /// Recognizes the installation.
    ///
    /// - Parameters:
    ///   - binary: The path of the program, links resolved.
    ///   - exists: Whether there is a file at a path.
    init(binary: String, exists: (String) -> Bool) {
        switch binary {
        // The image has the package, and this file.
        case "/usr/bin/selene" where exists("/usr/lib/selene/image"): self = .image
        case "/usr/bin/selene" where exists("/var/lib/dpkg/info/selene.list"): self = .package
        case _ where binary.contains("/Cellar/"): self = .homebrew
        default: self = .source
        }
    }

    /// The installation of the running program.
    static var current: Installation {
        Installation(binary: Bundle.main.executableURL?.resolvingSymlinksInPath().path ?? "") {
            FileManager.default.fileExists(atPath: $0)
        }
    }

    /// Where the program is from, then the way to update it.
    var text: String {
        switch self {
        case .package: "from a Debian package; to update: apt install ./selene_VERSION_ARCH.deb"
        case .image: "in a container image; to update: build the newer image, and start it with the same volume"
        case .homebrew: "from Homebrew; to update: brew upgrade selene"
        case .source: "from source or an archive; to update: git pull && make install, or the files of a newer archive"
        }
    }

    /// The check that names the version and how to update it.
    static var check: Check {
        Check(name: "version") { [.ok("version", "selene \(GatewayVersion.current), \(current.text)")] }
    }
}
