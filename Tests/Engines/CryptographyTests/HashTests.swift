import Cryptography
import Foundation
import TestSupport
import Testing

/// FIPS 180-4 and the examples of NIST.
struct HashTests {
    static let long =
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"
    static let sha256 = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (long, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ]
    static let sha1 = [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        ),
        (long, "a49b2446a02c645bf419f995b67091253a04a259"),
        (String(repeating: "a", count: 1_000_000), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
    ]

    @Test(arguments: sha256) func `SHA-256 has the vectors of NIST, at once and in parts`(text: String, hash: String) {
        #expect(hex(SHA256.hash(data: Data(text.utf8))) == hash)
        #expect(hex(SHA256.hash(data: Array(text.utf8))) == hash)
        for size in [1, 3, 63, 64, 65, 1000] where text.utf8.count / size < 20_000 {
            var (hasher, rest) = (SHA256(), Array(text.utf8)[...])
            while !rest.isEmpty {
                hasher.update(data: rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            #expect(hex(hasher.finalize()) == hash)
        }
    }

    @Test(arguments: sha1) func `SHA-1 has the vectors of NIST`(text: String, hash: String) {
        #expect(hex(Insecure.SHA1.hash(data: Data(text.utf8))) == hash)
    }

    @Test func `a slice hashes as its bytes, and a list of parts as their sum`() {
        let data = Data("0abc0".utf8)
        #expect(SHA256.hash(data: data.dropFirst().dropLast()) == SHA256.hash(data: Array("abc".utf8)))
        var parts = DispatchData.empty
        for text in ["a", "b", "c"] { Array(text.utf8).withUnsafeBytes { parts.append($0) } }
        #expect(SHA256.hash(data: parts) == SHA256.hash(data: Array("abc".utf8)))
    }

    @Test func `a copy goes on by itself, and a hash goes on after its end`() {
        var first = SHA256()
        first.update(data: Array("a".utf8))
        var second = first
        second.update(data: Array("x".utf8))
        first.update(data: Array("b".utf8))
        let early = first.finalize()
        first.update(data: Array("c".utf8))
        #expect(early == SHA256.hash(data: Array("ab".utf8)))
        #expect(first.finalize() == SHA256.hash(data: Array("abc".utf8)))
        #expect(second.finalize() == SHA256.hash(data: Array("ax".utf8)))
        #expect(SHA256().finalize() == SHA256.hash(data: [UInt8]()))
    }

    @Test func `many tasks hash at once, from one common start`() async {
        var start = SHA256()
        start.update(data: Array("start ".utf8))
        let base = start
        await withTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    var hash = base
                    hash.update(data: Array("\(number)".utf8))
                    return hash.finalize() == SHA256.hash(data: Array("start \(number)".utf8))
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test func `digests are sequences of bytes`() {
        let digest = SHA256.hash(data: Array("abc".utf8))
        let whole = bytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(Array(digest) == whole && Data(digest) == Data(whole) && Array(digest.prefix(3)) == [0xBA, 0x78, 0x16])
        #expect(digest.withUnsafeBytes { Array($0) } == whole)
        #expect(digest != SHA256.hash(data: Array("abd".utf8)))
        #expect(Set([digest, SHA256.hash(data: Data("abc".utf8))]).count == 1)
    }

    @Test func `openssl finds the same hashes`() async throws {
        guard await Shell.has("openssl") else { return }
        var random = SeededGenerator(1)
        let file = FileManager.default.temporaryDirectory.appending(path: "selene-hash-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        for count in [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000, 65_537] {
            let data = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
            try data.write(to: file)
            let found = try await Shell.run(["openssl", "dgst", "-r", "-sha256", file.path])
            #expect(found.output.hasPrefix(hex(SHA256.hash(data: data))), "\(count)")
            let old = try await Shell.run(["openssl", "dgst", "-r", "-sha1", file.path])
            #expect(old.output.hasPrefix(hex(Insecure.SHA1.hash(data: data))), "\(count)")
        }
    }
}
