import GatewayAPI
import TestSupport
import Testing

@testable import Push

/// The headers of pictures, and their names.
struct PictureTests {
    static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        + [0, 0, 2, 0x80, 0, 0, 1, 0xE0, 8, 2, 0, 0, 0]
    static let gif = Array("GIF89a".utf8) + [0x10, 0, 0x20, 0, 0, 0, 0]
    /// With an APP0 segment, a fill byte and a frame header of 640 by 480.
    static let jpeg: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, 0xC2, 0, 17, 8, 1, 0xE0, 2, 0x80, 3, 1, 0x22, 0]
    static let webp = riff("VP8X", [0, 0, 0, 0, 0x7F, 2, 0, 0xDF, 1, 0])
    static let lossy = riff("VP8 ", [0, 0, 0, 0x9D, 0x01, 0x2A, 0x80, 0x02, 0xE0, 0x01])
    static let lossless = riff("VP8L", [0x2F, 0x7F, 0xC2, 0x77, 0, 0, 0, 0, 0, 0])

    private static func riff(_ kind: String, _ rest: [UInt8]) -> [UInt8] {
        Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP".utf8) + Array(kind.utf8) + [0, 0, 0, 0] + rest
    }

    @Test func `the format and the size are those of the header`() {
        for (bytes, text) in [
            (Self.png, "png, 640 x 480"), (Self.gif, "gif, 16 x 32"), (Self.jpeg, "jpeg, 640 x 480"),
            (Self.webp, "webp, 640 x 480"), (Self.lossy, "webp, 640 x 480"), (Self.lossless, "webp, 640 x 480"),
        ] {
            #expect(PictureHeader(bytes)?.description == text)
            // A cut header has no size that counts, and is no crash.
            for count in 0..<bytes.count { _ = PictureHeader(Array(bytes[..<count])) }
            #expect(PictureHeader(Array(bytes[..<8])) == nil)
        }
    }

    @Test func `other files, empty pictures and those without a size are none`() {
        for text in [
            "", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "%PDF-1.7", "GIF89", "BM    ", "RIFF    WAVEfmt ",
        ] {
            #expect(PictureHeader(Array(text.utf8)) == nil)
        }
        #expect(PictureHeader(Array("GIF89a".utf8) + [0, 0, 1, 0]) == nil)
        // A segment of no length would go on forever; the image's data begin before a size.
        #expect(PictureHeader([0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 0, 0, 0, 0, 0, 0]) == nil)
        #expect(PictureHeader([0xFF, 0xD8, 0xFF, 0xDA, 0, 4, 0, 0, 0, 0, 0, 0]) == nil)
    }

    @Test func `a picture of too many pixels is known by its header`() {
        var wide = Self.png
        (wide[18], wide[19]) = (0x40, 0x01)
        #expect(PictureHeader(wide)?.isBounded == false)
        var huge = Self.png
        (huge[16], huge[20]) = (0xFF, 0xFF)
        #expect(PictureHeader(huge)?.isBounded == false)
        #expect(PictureHeader(Self.png)?.isBounded == true)
    }

    @Test func `headers of random bytes are read without a crash`() {
        var random = SeededGenerator(1)
        for _ in 0..<2000 {
            var bytes =
                [Self.png, Self.gif, Self.jpeg, Self.webp, Self.lossy, Self.lossless].randomElement(using: &random)
                ?? []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if let header = PictureHeader(bytes) { #expect(header.width > 0 && header.height > 0) }
        }
    }

    @Test func `a name depends on the message and the URL, and its text is read again`() {
        let name = PictureName(of: "https://e.de/i", in: "m1")
        #expect(name == PictureName(of: "https://e.de/i", in: "m1"))
        #expect(name != PictureName(of: "https://e.de/i", in: "m2"))
        #expect(name != PictureName(of: "https://e.de/j", in: "m1"))
        #expect(PictureName(name.text) == name && PictureName(image: name.image) == name)
        #expect(PictureName.random() != PictureName.random())
        for wrong in [
            "", "picture:", "https://e.de", "picture:../../../etc/passwd", "picture:" + name.text.uppercased(),
        ] {
            #expect(PictureName(image: wrong) == nil)
        }
    }

    @Test func `a message carries a picture, or names one`() throws {
        let data = Base64Text.encode(Self.png)
        let message = try PushMessage(PushMessageTests.json(#"{"title":"T","image_data":"\#(data)"}"#))
        #expect(message.imageData == Self.png)
        #expect(try PushMessage(message.json) == message)
        let name = PictureName.random().image
        #expect(try PushMessage(PushMessageTests.json(#"{"title":"T","image":"\#(name)"}"#)).image == name)
        var huge = Self.png
        huge[16] = 0x7F
        for (field, text) in [
            ("image_data", #"{"title":"T","image_data":"!"}"#), ("image_data", #"{"title":"T","image_data":"AAAA"}"#),
            ("image_data", #"{"title":"T","image_data":"\#(data)","image":"https://e.de/i"}"#),
            ("image_data", #"{"title":"T","image_data":"\#(Base64Text.encode(huge))"}"#),
            ("image", #"{"title":"T","image":"picture:abc"}"#),
        ] {
            let error = #expect(throws: PushFieldError.self) { try PushMessage(PushMessageTests.json(text)) }
            #expect(error?.field == field)
        }
    }
}
