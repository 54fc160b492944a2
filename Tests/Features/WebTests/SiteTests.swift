import Foundation
import TestSupport
import Testing

@testable import Web

@Suite struct Sites {
    @Test(.slow) func `every file of the site is embedded, and nothing else`() throws {
        let folder = Repository.root.appending(path: "Sources/Features/Web/Site")
        let found = try #require(FileManager.default.subpaths(atPath: folder.path)).filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: folder.appending(path: path).path, isDirectory: &isFolder)
                && !isFolder.boolValue && !path.split(separator: "/").contains { $0.hasPrefix(".") }
        }
        // After a file was added, moved or removed: make site
        #expect(Site.embedded.paths == found.sorted(), "run `make site`")
        for path in found where !Site.atRoot.contains(path) {
            let bytes = try Data(contentsOf: folder.appending(path: path))
            // A comparison inside of the macro would print both files.
            let isSame = Site.embedded[path] == BareSource.of(path, [UInt8](bytes))
            #expect(isSame, "\(path)")
            #expect(!bytes.isEmpty, "\(path)")
            #expect(ContentType.of(path) != "application/octet-stream", "\(path) has an unknown extension")
        }
    }

    @Test func `scripts and styles lose comments, blank lines and indentation, and nothing else`() {
        let cases = [
            ("a.js", "// x\n\n  let a = 1; // y\n\t/** z\n * z */\nb();", "let a = 1; // y\nb();\n"),
            ("a.js", "/** @type {X} */ (c).d = \"/* e */\";\n/* f */ /* g */\n", "(c).d = \"/* e */\";\n"),
            (
                "a.js", "f((/** @type {X} */ (a), /** @type {Y} */b) /* c */, /** d */ 1); /** @e",
                "f(((a), b) /* c */, /** d */ 1); /** @e\n"
            ),
            ("a.css", "b {} /** @c */", "b {} /** @c */\n"),
            ("a.js", "/*/ still\n*/ h()\n/**/ i()\n/* open", "h()\ni()\n"),
            ("a.js", "/* ends ***/j()\r\n", "j()\r\n"), ("a.js", "", ""),
            (
                "a.css", "/* x */\n@layer a {\n  // no comment here\n  b { c: d; }\n}\n",
                "@layer a {\n// no comment here\nb { c: d; }\n}\n"
            ),
            ("a.svg", "  <!-- // -->\n\n<svg/>", "  <!-- // -->\n\n<svg/>"),
        ]
        for (path, text, bare) in cases {
            #expect(String(decoding: BareSource.of(path, Array(text.utf8)), as: UTF8.self) == bare)
        }
    }

    @Test func `the address of the files changes with any of them`() {
        let files: [String: [UInt8]] = ["a.js": [1, 2], "b.js": [3]]
        let site = Site(files)
        #expect(site.hash.count == 16 && site.base == "/app/\(site.hash)")
        #expect(Site(files).hash == site.hash)
        for other in [
            ["a.js": [1, 2], "b.js": [4]], ["a.js": [1, 2, 3], "b.js": []], ["a.js": [1], "b.js": [2, 3]],
            ["a.js": [1, 2]], ["a.js": [1, 2], "c.js": [3]],
        ] as [[String: [UInt8]]] {
            #expect(Site(other).hash != site.hash)
        }
    }

    @Test func `files with a fixed address name the others`() throws {
        let text = Array("<script src=\"{{base}}/a.js\"></script>{{hash}} {{other}}".utf8)
        let site = Site(["index.html": text, "a.js": text])
        let page = String(decoding: try #require(site["index.html"]), as: UTF8.self)
        #expect(page == "<script src=\"/app/\(site.hash)/a.js\"></script>\(site.hash) {{other}}")
        #expect(site["a.js"] == text)
        #expect(site["missing"] == nil)
        #expect(site.endOfWorker == nil)
        let worker = Site(["sw.js": Array(#"const hash = "{{hash}}""#.utf8)]).endOfWorker
        #expect(worker.map { String(decoding: $0, as: UTF8.self) } == #"const hash = "off""#)
    }

    @Test func `gzip is read by another program`() async throws {
        let text = Array(String(repeating: "the tide and the moon ", count: 1000).utf8)
        for bytes in [text, [], [0], Array((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) })] {
            let packed = try #require(Gzip.compress(bytes))
            let file = FileManager.default.temporaryDirectory.appending(path: "selene-\(UUID().uuidString).gz")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(packed).write(to: file)
            let outcome = try await Shell.run(["sh", "-c", "gzip -dc '\(file.path)' | cksum; gzip -t '\(file.path)'"])
            #expect(
                outcome.output.split(separator: " ").dropFirst().first == "\(bytes.count)\n"
                    || outcome.output.contains(" \(bytes.count)"))
            #expect(outcome.status == 0)
        }
        #expect(try #require(Gzip.compress(text)).count < text.count / 50)
    }

    @Test func `an address to pair has no port that is usual, and brackets around IPv6`() {
        #expect(
            PairingAddress(host: "10.8.0.1", port: 5678, isEncrypted: false).url("X") == "http://10.8.0.1:5678/#pair=X")
        #expect(PairingAddress(host: "fd00::1", port: 443, isEncrypted: true).url("X") == "https://[fd00::1]/#pair=X")
        #expect(PairingAddress(host: "a", port: 80, isEncrypted: false).base == "http://a")
        #expect(PairingAddress(base: "https://a.example/").url("X") == "https://a.example/#pair=X")
        #expect(PairingAddress.hosts(listeningOn: "[::1]") == ["::1"])
        #expect(!PairingAddress.hosts(listeningOn: "0.0.0.0").contains { $0.hasPrefix("127.") || $0.contains(":") })
    }
}
