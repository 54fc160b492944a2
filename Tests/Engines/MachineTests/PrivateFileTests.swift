import Foundation
import Machine
import TestSupport
import Testing

/// Files that only their owner may read, and what is said of those that cannot be written.
@Suite struct OwnFiles {
    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test func `a file is written whole and is the owner's alone`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("new/deeper/key")
        try PrivateFile.createFolder(folder.path("new/deeper"))
        for text in ["first", "second"] {
            try PrivateFile.write(Array(text.utf8), to: path)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        }
        #expect(try mode(path) == 0o600 && mode(folder.path("new")) == 0o700)
        #expect(
            try PrivateFile.size(path) == 6
                && FileManager.default.contentsOfDirectory(atPath: folder.path("new/deeper")) == ["key"])
    }

    @Test func `an error names the path, and its code stands before it in logs`() throws {
        let folder = try TemporaryFolder()
        let (file, other) = (folder.path("file"), folder.path("other"))
        for path in [file, other] { #expect(PrivateFile.create(path)) }
        let blocked = #expect(throws: FileError.self) { try PrivateFile.createFolder(file) }
        #expect(blocked?.description == "cannot_open: cannot create the folder \(file): a file is there")
        let taken = #expect(throws: FileError.self) { try PrivateFile.move(file, toNew: other) }
        #expect(taken?.description == "conflict: \(other) exists already")
        let missing = #expect(throws: FileError.self) { try PrivateFile.write([1], to: file + "/key") }
        #expect(missing?.code == .failed && missing?.message.hasPrefix("cannot create \(file)/key.") == true)
    }
}
