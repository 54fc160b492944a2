import Foundation
import TestSupport
import Testing

@testable import DocumentReading

/// Drawing pages with `pdftoppm`, and with programs in its place that misbehave.
@Suite struct DrawingPages {
    static let tool = "/usr/bin/pdftoppm"
    static let isInstalled = FileManager.default.isExecutableFile(atPath: tool)

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func drawing(_ program: String, _ change: (inout DrawingLimits) -> Void = { _ in }) -> PageDrawing {
        var limits = DrawingLimits()
        change(&limits)
        return PageDrawing(
            executable: ReadingInAProcess.binary, arguments: ["read"], program: program, limits: limits)
    }

    /// A program in the place of `pdftoppm`.
    func script(_ text: String) throws -> String {
        let path = try folder.write("tool-\(UUID().uuidString)", "#!/bin/sh\n\(text)\n").path
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        return path
    }

    func file(_ bytes: [UInt8] = SamplePDF.file([["One."], ["Two."]])) throws -> String {
        let url = folder.url.appending(path: UUID().uuidString)
        try Data(bytes).write(to: url)
        return url.path
    }

    @Test(.enabled(if: isInstalled, "needs pdftoppm: apt-get install poppler-utils"))
    func `a page becomes an image whose longer side has the size`() async throws {
        let path = try file()
        let first = try await drawing(Self.tool).draw(file: path, page: 1, size: 800)
        #expect(SamplePDF.pixels(ofPNG: first).map { [$0.width, $0.height] } == [600, 800])
        let wide = try file(SamplePDF.file([["Wide."]], box: (14_000, 20)))
        let image = try await drawing(Self.tool).draw(file: wide, page: 1, size: 2400)
        let pixels = try #require(SamplePDF.pixels(ofPNG: image))
        #expect(pixels.width <= 2401 && pixels.height <= 10)
    }

    @Test(.enabled(if: isInstalled, "needs pdftoppm: apt-get install poppler-utils"))
    func `files and pages that give no image say so`() async throws {
        let tool = drawing(Self.tool)
        await #expect(throws: DrawingProblem.failed) { try await tool.draw(file: try file(), page: 3, size: 100) }
        await #expect(throws: DrawingProblem.failed) {
            try await tool.draw(file: try file(Array("no PDF".utf8)), page: 1, size: 100)
        }
        await #expect(throws: DrawingProblem.failed) {
            try await tool.draw(file: folder.path("absent"), page: 1, size: 100)
        }
        let small = drawing(Self.tool) { $0.imageBytes = 100 }
        await #expect(throws: DrawingProblem.tooCostly) { try await small.draw(file: try file(), page: 1, size: 500) }
    }

    @Test(
        .slow,
        arguments: [
            ("exit 1", .failed), ("exit 0", .failed), ("printf text", .failed), ("kill -SEGV $$", .failed),
            ("printf '\\211PNG\\r\\n\\032\\n'; exit 3", .failed), ("while :; do :; done", .tooCostly),
            ("sleep 1000", .tooCostly), ("yes", .tooCostly), ("exec 1>&-; sleep 1000", .tooCostly),
        ] as [(String, DrawingProblem)])
    func `a program that misbehaves costs one page only`(_ text: String, _ problem: DrawingProblem) async throws {
        let path = try file()
        let tool = drawing(try script(text)) {
            $0.cpuSeconds = 1
            $0.wallSeconds = text.contains("sleep") ? 0.3 : 20
            $0.imageBytes = 1 << 20
        }
        await #expect(throws: problem, "\(text)") { try await tool.draw(file: path, page: 1, size: 100) }
    }

    @Test func `a program that is absent or no program is named as such`() async throws {
        let path = try file()
        for program in [folder.path("absent"), path, "/"] {
            await #expect(throws: DrawingProblem.noProgram) {
                try await drawing(program).draw(file: path, page: 1, size: 100)
            }
        }
    }

    @Test func `the program has the limits, the file and nothing else`() async throws {
        let path = try file(Array("the file".utf8))
        let seen = folder.path("seen")
        // It may write no files, so that what it saw is its output.
        let text = """
            printf '\\211PNG\\r\\n\\032\\n'
            echo "$@"; ulimit -t; ulimit -d; ulimit -f; env | sort; ls /proc/self/fd | wc -l
            cat /dev/fd/3; echo more > \(seen) && [ -s \(seen) ] && echo written
            exit 0
            """
        let image = try await drawing(try script(text)) { $0.cpuSeconds = 7 }.draw(file: path, page: 5, size: 300)
        let lines = String(decoding: image.dropFirst(8), as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(lines.first == "-png -f 5 -l 5 -singlefile -cropbox -scale-to 300 /dev/fd/3")
        #expect(lines.contains("7") && lines.contains("0") && lines.contains("\(768 << 10)"))
        #expect(lines.contains { $0.hasSuffix("the file") } && !lines.contains("written"))
        #expect(!lines.contains { $0.hasPrefix("HOME=") })
    }

    #if os(Linux)
    @Test func `a cancelled drawing ends its process`() async throws {
        let path = try file()
        let marker = "\(Int.random(in: 1_000_000..<9_000_000))"
        let tool = drawing(try script("exec sleep \(marker)"))
        let task = Task { try await tool.draw(file: path, page: 1, size: 100) }
        func isRunning() -> Bool {
            let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            return processes.contains { id in
                let line = FileManager.default.contents(atPath: "/proc/\(id)/cmdline") ?? Data()
                return String(decoding: line, as: UTF8.self).hasPrefix("sleep\u{0}\(marker)")
            }
        }
        try await waitUntil { isRunning() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!isRunning())
    }
    #endif
}
