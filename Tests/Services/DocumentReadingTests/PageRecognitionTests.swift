import Documents
import Foundation
import TestSupport
import Testing

@testable import DocumentReading

/// Recognizing text with `tesseract`, and with programs in its place that misbehave.
@Suite struct RecognizingPages {
    static let tool = "/usr/bin/tesseract"
    static let isInstalled =
        FileManager.default.isExecutableFile(atPath: tool) && DrawingPages.isInstalled

    let drawing: DrawingPages

    init() throws { drawing = try DrawingPages() }

    private func recognition(
        _ program: String, _ change: (inout DrawingLimits) -> Void = { _ in }
    ) -> PageRecognition {
        var limits = PageRecognition.defaultLimits
        change(&limits)
        return PageRecognition(
            executable: ReadingInAProcess.binary, arguments: ["read"], program: program, languages: "eng",
            limits: limits)
    }

    @Test(.enabled(if: isInstalled, "needs tesseract and pdftoppm: apt-get install tesseract-ocr poppler-utils"))
    func `words on an image are read, with their places`() async throws {
        let path = try drawing.file(
            SamplePDF.file([["The keeper bought a second float", "for eleven crowns in May."]]))
        let image = try await drawing.drawing(DrawingPages.tool) { $0.imageBytes = 64 << 20 }
            .draw(file: path, page: 1, size: 1_667)
        let page = try await recognition(Self.tool).recognize(image, dotsPerInch: 300)
        let text = page.lines.map(\.text).joined(separator: "\n")
        #expect(text.contains("The keeper bought a second float\nfor eleven crowns in May."))
        let line = try #require(page.lines.first { $0.text.hasPrefix("The keeper") })
        // The line stands at 20 points from the left and 50 from the top; a point has 300 / 72 pixels.
        #expect(abs(line.box.x - 20 * 300 / 72) < 12 && abs(line.box.y + line.box.height - 50 * 300 / 72) < 16)
        #expect(abs(page.width - 1_250) <= 1 && page.height == 1_667)
    }

    @Test(.enabled(if: isInstalled, "needs tesseract and pdftoppm: apt-get install tesseract-ocr poppler-utils"))
    func `what is no image, and a language that is not installed, give no text`() async throws {
        await #expect(throws: DrawingProblem.failed) {
            try await recognition(Self.tool).recognize(Array("no image".utf8), dotsPerInch: 300)
        }
        var tool = recognition(Self.tool)
        tool.languages = "xxx"
        let image = try await drawing.drawing(DrawingPages.tool).draw(file: try drawing.file(), page: 1, size: 300)
        await #expect(throws: DrawingProblem.failed) { try await tool.recognize(image, dotsPerInch: 300) }
    }

    @Test(
        .slow,
        arguments: [
            ("exit 1", .failed), ("exit 0", .failed), ("printf text", .failed), ("kill -SEGV $$", .failed),
            ("printf 'level\\t'; exit 3", .failed), ("while :; do :; done", .tooCostly),
            ("sleep 1000", .tooCostly), ("yes", .tooCostly),
        ] as [(String, DrawingProblem)])
    func `a program that misbehaves costs one page only`(_ text: String, _ problem: DrawingProblem) async throws {
        let tool = recognition(try drawing.script(text)) {
            $0.cpuSeconds = 1
            $0.wallSeconds = text.contains("sleep") ? 0.3 : 20
            $0.imageBytes = 1 << 20
        }
        await #expect(throws: problem, "\(text)") { try await tool.recognize([1, 2, 3], dotsPerInch: 300) }
    }

    @Test func `the program gets the image, its limits and its options, and nothing else of this process`() async throws
    {
        let script = """
            printf 'level\\t\\n'
            word() { printf '5\\t1\\t1\\t1\\t%s\\t1\\t1\\t1\\t1\\t1\\t90\\t%s\\n' "$1" "$2"; }
            word 1 "$(cat $1)"; word 2 "$2/$3/$4/$5/$6/$7"; word 3 "$(ulimit -t)"; word 4 "$(env | grep -c SELENE)"
            """
        let tool = recognition(try drawing.script(script)) { $0.cpuSeconds = 7 }
        let page = try await tool.recognize(Array("image".utf8), dotsPerInch: 200)
        #expect(page.lines.map(\.text) == ["image", "stdout/-l/eng/--dpi/200/tsv", "7", "0"])
    }

    @Test func `a program that is absent is named as such`() async throws {
        await #expect(throws: DrawingProblem.noProgram) {
            try await recognition(drawing.folder.path("absent")).recognize([1], dotsPerInch: 300)
        }
    }

    @Test func `cancelling ends the program`() async throws {
        let tool = recognition(try drawing.script("sleep 1000"))
        let task = Task { try await tool.recognize([1], dotsPerInch: 300) }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
