import Testing

@testable import Documents

@Suite struct FormatsByBytes {
    @Test(
        arguments: [
            ("%PDF-1.4", nil, nil, .pdf), ("junk\n%PDF-1.4", "a.pdf", nil, .pdf), ("junk\n%PDF-1.4", nil, nil, .pdf),
            ("On %PDF-1.4", "a.txt", nil, .text),
            ("Hello", nil, nil, .text), ("# Hello", "a.md", nil, .markdown),
            ("# Hello", "README.MARKDOWN", nil, .markdown),
            ("# Hello", nil, "text/markdown; charset=utf-8", .markdown), ("<p>Hi", "a.htm", nil, .html),
            ("<!DOCTYPE html><p>", nil, nil, .html),
            ("\u{FEFF} <!-- x --><?xml version='1.0'?><HTML>", nil, nil, .html),
            ("<!DOCTYPE html><p>", "a.txt", nil, .text), ("Hi", "a.unknown", "text/html", .html),
        ] as [(String, String?, String?, DocumentFormat)])
    func formats(_ text: String, _ name: String?, _ type: String?, _ format: DocumentFormat) throws {
        #expect(try FormatDetection.format(of: Array(text.utf8), FileHints(name: name, contentType: type)) == format)
    }

    @Test(
        arguments: [
            ([0x89, 0x50, 0x4E, 0x47, 0, 0, 0, 0], nil, .unknownFormat), ([0x50, 0x4B, 3, 4, 1, 2], nil, .damaged),
            (Array("{\\rtf1 x}".utf8), "a.docx", .unknownFormat), (Array("Hello".utf8), "a.pdf", .damaged),
            ([], nil, .empty),
            ([UInt8](repeating: 1, count: 100), nil, .unknownFormat),
            (
                [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1] + "EncryptedPackage".utf8.map { [$0, 0] }.joined(),
                nil, .encrypted
            ),
        ] as [([UInt8], String?, DocumentError.Code)])
    func refusals(_ bytes: [UInt8], _ name: String?, _ code: DocumentError.Code) {
        let error = #expect(throws: DocumentError.self) { try FormatDetection.format(of: bytes, FileHints(name: name)) }
        #expect(error?.code == code)
    }
}
