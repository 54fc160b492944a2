import Foundation
import TestSupport
import Testing

@testable import Documents

/// Reads real files that lie beside the repository, never in it: broken, encrypted and odd ones.
struct PDFCorpusTests {
    /// `../shared/corpora/pdf` beside the repository.
    private static let folder = Repository.root.deletingLastPathComponent().appending(path: "shared/corpora/pdf")
    private static let isPresent = FileManager.default.fileExists(atPath: folder.appending(path: "README.md").path)
    /// Each so many files.
    private static let step = 6

    private struct Expected: Decodable {
        var file: String
        var password: String?
        var pages: [String]
    }

    @Test(
        "Every sixth file: no crash, the pages of pdftotext, and its words",
        .enabled(if: isPresent, "needs ../shared/corpora beside the repository"))
    func sample() throws {
        let expected = try Self.expected()
        var similarities: [Double] = []
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter {
            $0.hasSuffix(".pdf")
        }
        for (index, name) in names.sorted().enumerated() where index % Self.step == 0 {
            guard let document = try? PDFReader.read(path: Self.folder.appending(path: name).path) else { continue }
            #expect(document.pages.last?.range.upperBound == document.text.utf8.count, "\(name)")
            let view = ReadingView(document)
            #expect(view.canonicalRange(of: 0..<view.text.utf8.count).upperBound <= document.text.utf8.count)
            guard let pages = expected[name] else { continue }
            #expect(document.pages.count == pages.count, "\(name)")
            let text = pages.joined(separator: " ")
            if text.contains(where: \.isLetter) { similarities.append(Self.similarity(document.text, text)) }
        }
        #expect(similarities.count > 50)
        #expect(similarities.sorted()[similarities.count / 2] >= 0.95)
    }

    /// The texts by pdftotext, of the files without a password.
    private static func expected() throws -> [String: [String]] {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "gzip -dc \"$0\"", folder.appending(path: "expected/pdftotext.jsonl.gz").path]
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let rows = try data.split(separator: 0x0A).map { try JSONDecoder().decode(Expected.self, from: $0) }
        return Dictionary(rows.filter { $0.password == nil }.map { ($0.file, $0.pages) }) { first, _ in first }
    }

    /// Dice coefficient of the three-character parts, compatibility forms folded and white space collapsed.
    private static func similarity(_ first: String, _ second: String) -> Double {
        let (one, two) = (parts(first), parts(second))
        let total = one.values.reduce(0, +) + two.values.reduce(0, +)
        let shared = one.reduce(0) { $0 + min($1.value, two[$1.key] ?? 0) }
        return total == 0 ? 1 : 2 * Double(shared) / Double(total)
    }

    private static func parts(_ text: String) -> [[Unicode.Scalar]: Int] {
        let folded = text.precomposedStringWithCompatibilityMapping.lowercased().split(whereSeparator: \.isWhitespace)
        let scalars = Array(folded.joined(separator: " ").unicodeScalars)
        guard scalars.count > 2 else { return scalars.isEmpty ? [:] : [scalars: 1] }
        var parts: [[Unicode.Scalar]: Int] = [:]
        for index in 0..<scalars.count - 2 { parts[Array(scalars[index..<index + 3]), default: 0] += 1 }
        return parts
    }
}
