#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Finds programs that are not part of the gateway: `pdftoppm`, which draws pages of PDF files, and `tesseract`, which
/// recognizes the text of images.
enum PageProgram {
    /// Where it is installed by Debian, by hand, and by Homebrew.
    private static let folders = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]

    /// The path of the program; nil when it is absent or turned off. It is looked for at each call, so a program that is
    /// installed while the gateway runs is found.
    ///
    /// - Parameter setting: `auto`, `off` or a path.
    static func path(_ setting: String, of name: String = "pdftoppm") -> String? {
        if setting == "off" { return nil }
        let paths = setting == "auto" ? folders.map { "\($0)/\(name)" } : [setting]
        return paths.first { unsafe access($0, X_OK) == 0 }
    }
}
