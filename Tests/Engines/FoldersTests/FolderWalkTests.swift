#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif
import Foundation
import TestSupport
import Testing

@testable import Folders

@Suite struct FolderWalkTests {
    private func walk(_ folder: TemporaryFolder, _ patterns: String...) throws -> FolderWalk {
        try FolderWalk(folder.url.path, leavingOut: IgnoreRules(patterns)) { $0.hasSuffix(".md") }
    }

    @Test func `files are listed in the order of their bytes, without hidden ones and those that the rules leave out`()
        throws
    {
        let folder = try TemporaryFolder()
        for name in [
            "b.md", "a.md", "a/z.md", "a b.md", ".hidden.md", ".git/x.md", "x.txt", "T/t.md", "n/deep/er/d.md",
        ] {
            try folder.write(name, name)
        }
        let entered = Locked<[String]>([])
        let listing = try walk(folder, "T/").list { path in entered.change { $0.append(path.text) } }
        #expect(listing.files.map(\.path.text) == ["a b.md", "a.md", "a/z.md", "b.md", "n/deep/er/d.md"])
        #expect(listing.files[0].sign.size == 6 && listing.faults.isEmpty)
        #expect(Set(entered.value) == ["", "a", "n", "n/deep", "n/deep/er"])
        #expect(try walk(folder).list(FilePath("n")).files.map(\.path.text) == ["n/deep/er/d.md"])
        #expect(try walk(folder).list(FilePath("a.md")).files.map(\.path.text) == ["a.md"])
        #expect(try walk(folder, "T/").list(FilePath("T/t.md")).files.isEmpty)
        #expect(try walk(folder).list(FilePath(".git/x.md")).files.isEmpty)
        #expect(try walk(folder).list(FilePath("gone")).files.isEmpty)
    }

    @Test func `two spellings of a name are two files`() throws {
        let folder = try TemporaryFolder()
        let names = ["caf\u{E9}.md", "cafe\u{301}.md"]
        for name in names {
            #expect(FileManager.default.createFile(atPath: folder.url.path + "/" + name, contents: Data()))
        }
        let listing = try walk(folder).list()
        guard listing.files.count == 2 else {
            // This file system takes both for one.
            return
        }
        #expect(listing.files.map { Array($0.path.text.utf8) } == names.reversed().map { Array($0.utf8) })
    }

    @Test func `links lead to files within the folder only`() throws {
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        try folder.write("a.md", "a")
        try other.write("secret.md", "s")
        let manager = FileManager.default
        try manager.createSymbolicLink(atPath: folder.path("in.md"), withDestinationPath: "a.md")
        try manager.createSymbolicLink(atPath: folder.path("out.md"), withDestinationPath: other.path("secret.md"))
        try manager.createSymbolicLink(atPath: folder.path("none.md"), withDestinationPath: "nowhere")
        try manager.createSymbolicLink(atPath: folder.path("folder"), withDestinationPath: other.url.path)
        try manager.createSymbolicLink(atPath: folder.path("loop"), withDestinationPath: ".")
        let listing = try walk(folder).list()
        #expect(listing.files.map(\.path.text) == ["a.md", "in.md"])
        #expect(listing.faults.map(\.path.text).sorted() == ["none.md", "out.md"])
    }

    @Test func `what is too deep, has a strange name or is away is said`() throws {
        let folder = try TemporaryFolder()
        try folder.write(Array(repeating: "d", count: 70).joined(separator: "/") + "/x.md", "x")
        let strange = Array((folder.url.path + "/").utf8) + [0xFF] + Array(".md".utf8) + [0]
        let made = strange.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer { name in
            name.baseAddress.flatMap { fopen($0, "w") }.map { fclose($0) == 0 } ?? false
        }
        let listing = try walk(folder).list()
        #expect(listing.files.isEmpty)
        #expect(listing.faults.contains { $0.reason == "is more than 64 folders deep" })
        if made { #expect(listing.faults.contains { $0.reason == "has a name that is not UTF-8" }) }
        let gone = try walk(folder)
        try FileManager.default.removeItem(at: folder.url)
        #expect(throws: FolderFault.self) { try gone.list() }
        #expect(throws: FolderFault.self) { try walk(folder) }
    }

    @Test func `paths know what is within them`() {
        #expect(FilePath("a/b").isWithin(FilePath("a")) && FilePath("a").isWithin(FilePath("a")))
        #expect(!FilePath("ab").isWithin(FilePath("a")) && FilePath("x").isWithin(FilePath("")))
        #expect(FilePath("a/b.md").name == "b.md" && FilePath("").appending("x").text == "x")
        #expect(FilePath("caf\u{E9}") != FilePath("cafe\u{301}"))
    }
}
