import Documents
import Foundation

/// Reads documents of any format as the gateway does and prints one JSON line for each.
///
/// `DocumentsBench FILE…` gives format, pages, bytes of text, seconds and what the reader reported. `--text` adds the text of
/// each page, for comparison with other programs; `--article` reads of a web page only the article.
@main
struct DocumentsBench {
    struct Line: Encodable {
        var file: String
        var format: String?
        var error: String?
        var title: String?
        var pages = 0
        var bytes = 0
        var seconds = 0.0
        /// The most memory of this process so far in MB, where the system says it.
        var peak: Double?
        var notices: [String] = []
        var text: [String]?
    }

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let files = arguments.filter { !$0.hasPrefix("--") }
        guard !files.isEmpty else {
            FileHandle.standardError.write(Data("usage: DocumentsBench [--text] [--article] FILE...\n".utf8))
            exit(64)
        }
        for file in files {
            var line = read(file, withText: arguments.contains("--text"), article: arguments.contains("--article"))
            line.peak = peak
            FileHandle.standardOutput.write(try JSONEncoder().encode(line) + Data("\n".utf8))
        }
    }

    private static func read(_ file: String, withText: Bool, article: Bool) -> Line {
        let url = URL(filePath: file)
        var line = Line(file: url.lastPathComponent)
        do {
            let start = ContinuousClock.now
            let data = try Data(contentsOf: url)
            let document = try DocumentReader.read(
                [UInt8](data), name: url.lastPathComponent, content: article ? .article : .whole)
            line.seconds = (ContinuousClock.now - start) / .seconds(1)
            line.format = document.format.rawValue
            line.title = document.title
            line.pages = document.pages.count
            line.bytes = document.text.utf8.count
            line.notices = document.notices.map(\.code.rawValue)
            if withText {
                let bytes = Array(document.text.utf8)
                line.text = document.pages.map { String(decoding: bytes[$0.range], as: UTF8.self) }
            }
        } catch let error as DocumentError {
            line.error = error.code.rawValue
        } catch {
            line.error = "unopened"
        }
        return line
    }

    /// Linux counts it from the start of the program; what a parent had before is not in it.
    private static var peak: Double? {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Double($0) }.map { $0 / 1024 }
    }
}
