import Documents
import Foundation

/// Reads PDF files and prints one JSON line for each.
///
/// `DocumentsBench FILE…` gives pages, bytes of text, seconds and what the reader reported. `DocumentsBench --text FILE…`
/// adds the text of each page, for comparison with other programs.
@main
struct DocumentsBench {
    struct Line: Encodable {
        var file: String
        var error: String?
        var pages = 0
        var bytes = 0
        var seconds = 0.0
        var notices: [String] = []
        var text: [String]?
    }

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let files = arguments.filter { $0 != "--text" }
        guard !files.isEmpty else {
            FileHandle.standardError.write(Data("usage: DocumentsBench [--text] FILE...\n".utf8))
            exit(64)
        }
        for file in files {
            let line = read(file, withText: arguments.contains("--text"))
            FileHandle.standardOutput.write(try JSONEncoder().encode(line) + Data("\n".utf8))
        }
    }

    private static func read(_ file: String, withText: Bool) -> Line {
        var line = Line(file: URL(filePath: file).lastPathComponent)
        do {
            let start = ContinuousClock.now
            let document = try PDFReader.read(path: file)
            line.seconds = (ContinuousClock.now - start) / .seconds(1)
            line.pages = document.pages.count
            line.bytes = document.text.utf8.count
            line.notices = document.notices.map(\.code.rawValue)
            if withText {
                let bytes = Array(document.text.utf8)
                line.text = document.pages.map { String(decoding: bytes[$0.range], as: UTF8.self) }
            }
        } catch {
            line.error = error.code.rawValue
        }
        return line
    }
}
