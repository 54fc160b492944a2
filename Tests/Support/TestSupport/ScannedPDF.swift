import Foundation

/// Writes PDF files whose pages are images of text, as scanners do. Needs `pdftoppm`.
package enum ScannedPDF {
    package struct NoImage: Error {}

    /// The pages of ``SamplePDF/file(_:box:labels:)`` as gray images of 200 dots an inch, on pages of 300 × 400 points.
    ///
    /// - Parameter texts: By place, pages that keep their text: those are not drawn.
    package static func file(_ pages: [[String]], keeping texts: Set<Int> = []) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let source = folder.url.appending(path: "source.pdf")
        try Data(SamplePDF.file(pages)).write(to: source)
        var objects = [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Count \(pages.count) /Kids [\(pages.indices.map { "\(4 + 3 * $0) 0 R" }.joined(separator: " "))] /MediaBox [0 0 300 400] >>",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        ].map { Data($0.utf8) }
        for (index, lines) in pages.enumerated() {
            let first = 4 + 3 * index
            var content = "q 300 0 0 400 0 0 cm /Im Do Q"
            var image = Data("<< /Length 0 >>\nstream\n\nendstream".utf8)
            if texts.contains(index) {
                content = lines.enumerated().map { number, line in
                    "BT /F1 10 Tf 1 0 0 1 20 \(350 - 14 * number) Tm (\(line)) Tj ET"
                }.joined(separator: "\n")
            } else {
                let picture = try gray(of: source, page: index + 1, in: folder)
                image = Data(
                    ("<< /Type /XObject /Subtype /Image /Width \(picture.width) /Height \(picture.height) /BitsPerComponent 8 "
                        + "/ColorSpace /DeviceGray /Length \(picture.bytes.count) >>\nstream\n").utf8)
                image.append(picture.bytes)
                image.append(Data("\nendstream".utf8))
            }
            let resources = texts.contains(index) ? "/Font << /F1 3 0 R >>" : "/XObject << /Im \(first + 2) 0 R >>"
            objects.append(
                Data("<< /Type /Page /Parent 2 0 R /Contents \(first + 1) 0 R /Resources << \(resources) >> >>".utf8))
            objects.append(Data("<< /Length \(content.utf8.count) >>\nstream\n\(content)\nendstream".utf8))
            objects.append(image)
        }
        var file = Data("%PDF-1.7\n".utf8)
        var places: [Int] = []
        for (index, object) in objects.enumerated() {
            places.append(file.count)
            file.append(Data("\(index + 1) 0 obj\n".utf8))
            file.append(object)
            file.append(Data("\nendobj\n".utf8))
        }
        let table = file.count
        var end = "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
        for place in places { end += String(repeating: "0", count: 10 - String(place).count) + "\(place) 00000 n \n" }
        end += "trailer\n<< /Size \(objects.count + 1) /Root 1 0 R >>\nstartxref\n\(table)\n%%EOF\n"
        file.append(Data(end.utf8))
        return [UInt8](file)
    }

    /// A page as gray pixels, row by row.
    private static func gray(
        of file: URL, page: Int, in folder: TemporaryFolder
    ) throws -> (width: Int, height: Int, bytes: Data) {
        let output = folder.url.appending(path: "page-\(page)")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/pdftoppm")
        process.arguments = [
            "-gray", "-r", "200", "-f", "\(page)", "-l", "\(page)", "-singlefile", file.path, output.path,
        ]
        try process.run()
        process.waitUntilExit()
        let image = try Data(contentsOf: output.appendingPathExtension("pgm"))
        // P5, width, height, 255, then the pixels.
        var fields: [Int] = []
        var place = image.startIndex
        for _ in 0..<4 {
            guard let end = image[place...].firstIndex(where: { $0 == 0x20 || $0 == 0x0A }) else { throw NoImage() }
            fields.append(Int(String(decoding: image[place..<end], as: UTF8.self)) ?? 0)
            place = image.index(after: end)
        }
        guard image.count - place == fields[1] * fields[2], !image.isEmpty else { throw NoImage() }
        return (fields[1], fields[2], image[place...])
    }
}
