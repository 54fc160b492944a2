import Foundation
import Push
import TestSupport
import Testing

@testable import PushChannels

struct PrivateKeyFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ text: String, mode: Int) throws -> String {
        let file = try folder.write("AuthKey.p8", text)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        return file.path
    }

    @Test(arguments: [0o600, 0o400])
    func `a file of the owner is read`(mode: Int) throws {
        #expect(try PrivateKeyFile.text(write("\n secret \r\n", mode: mode), field: "push.key") == "secret")
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o777])
    func `a file that others may read is refused`(mode: Int) throws {
        let path = try write("secret", mode: mode)
        let error = #expect(throws: PushFieldError.self) { try PrivateKeyFile.text(path, field: "push.key") }
        #expect(error?.field == "push.key")
        #expect(error?.reason.contains("chmod 600") == true)
        #expect(error?.reason.contains("secret") == false)
    }

    @Test func `what is not a key file is refused`() throws {
        let large = try write(String(repeating: "secret", count: 2000), mode: 0o600)
        for path in [large, folder.path("none"), folder.url.path, "/dev/zero"] {
            let error = #expect(throws: PushFieldError.self) { try PrivateKeyFile.text(path, field: "push.key") }
            #expect(error?.description.contains("secret") == false)
        }
        let empty = try write(" \n", mode: 0o600)
        #expect(throws: PushFieldError.self) { try PrivateKeyFile.text(empty, field: "push.key") }
    }
}
