import Foundation
import TestSupport
import Testing

@testable import QRCode

@Suite struct QRCodes {
    /// ISO/IEC 18004 has no vectors in bytes for whole codes; these modules were read by `zbarimg` 0.23.92.
    @Test func `a known text gives the known modules`() throws {
        let code = try #require(QRCode("http://10.8.0.1:5678/#pair=BCDFGHJK"))
        #expect(code.size == 29)
        #expect(code.fingerprint == expectedFingerprint)
        // The finders and the dark module are in their places.
        for (column, row) in [(0, 0), (22, 0), (0, 22)] {
            #expect(code[column, row] && code[column + 6, row + 6] && code[column + 3, row + 3])
            #expect(!code[column + 1, row + 1])
        }
        #expect(code[8, 21])
        #expect(!code[-1, 0] && !code[0, 29])
    }

    private let expectedFingerprint: UInt64 = 18_043_315_510_222_252_811

    @Test func `error correction is as in the standard's example`() {
        // Annex I of ISO/IEC 18004: the data of "01234567" in version 1-M.
        let data: [UInt8] = [16, 32, 12, 86, 97, 128, 236, 17, 236, 17, 236, 17, 236, 17, 236, 17]
        #expect(ReedSolomon(degree: 10).remainder(of: data) == [165, 36, 212, 193, 237, 54, 199, 135, 44, 85])
    }

    @Test func `too long a text has no code, and the longest one has`() throws {
        #expect(try #require(QRCode(String(repeating: "x", count: 213))).size == 57)
        #expect(QRCode(String(repeating: "x", count: 214)) == nil)
        #expect(try #require(QRCode("")).size == 21)
        #expect(try #require(QRCode(String(repeating: "x", count: 14))).size == 21)
        #expect(try #require(QRCode(String(repeating: "x", count: 15))).size == 25)
    }

    /// Every version, read by `zbarimg` of Debian's zbar-tools. Without it, this test has nothing to say.
    @Test func `another program reads every version`() async throws {
        guard await Shell.has("zbarimg") else { return }
        let folder = FileManager.default.temporaryDirectory.appending(path: "selene-qr-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for count in [1, 14, 15, 26, 27, 42, 43, 62, 63, 84, 85, 106, 107, 122, 123, 152, 153, 180, 181, 213] {
            let text =
                String(
                    "https://10.8.0.1:5678/#pair=BCDFGHJK,\(String(repeating: "selene ", count: 40))".utf8.prefix(
                        count)) ?? ""
            let code = try #require(QRCode(text), "\(count)")
            let file = folder.appending(path: "\(count).pgm")
            try code.image.write(to: file)
            let outcome = try await Shell.run([
                "sh", "-c", "zbarimg --quiet --raw -Sdisable -Sqrcode.enable '\(file.path)' 2>/dev/null",
            ])
            #expect(outcome.output.hasPrefix(text), "\(count): \(outcome.output)")
        }
    }

    @Test func `drawings have a quiet zone and one mark for each dark module`() throws {
        let code = try #require(QRCode("selene"))
        let dark = (0..<21).reduce(0) { sum, row in sum + (0..<21).count { code[$0, row] } }
        #expect(code.svg.components(separatedBy: "h1v1h-1z").count - 1 == dark)
        #expect(code.svg.hasPrefix("<svg") && code.svg.contains("viewBox=\"0 0 29 29\""))
        let lines = code.halfBlocks
        #expect(lines.allSatisfy { $0.count == 25 } && lines.count == 13)
        #expect(lines.first == String(repeating: "█", count: 25))
    }
}

extension QRCode {
    /// FNV-1a of the modules, row by row.
    var fingerprint: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for row in 0..<size {
            for column in 0..<size { hash = (hash ^ (self[column, row] ? 1 : 0)) &* 0x100_0000_01B3 }
        }
        return hash
    }

    /// The code as a grey image, 6 pixels a module.
    var image: Data {
        let side = (size + 8) * 6
        var data = Data("P5 \(side) \(side) 255\n".utf8)
        for y in 0..<side { for x in 0..<side { data.append(self[x / 6 - 4, y / 6 - 4] ? 0 : 255) } }
        return data
    }
}
