/// Writes small PDF files for tests: pages of lines in Helvetica, 300 × 400 points, with a black bar at the top of each.
package enum SamplePDF {
    /// - Parameters:
    ///   - pages: The lines of each page, from the top, in ASCII without brackets.
    ///   - box: The width and the height of all pages in points.
    ///   - labels: Whether the first page has the label i, and the second one 1.
    package static func file(_ pages: [[String]], box: (Int, Int) = (300, 400), labels: Bool = false) -> [UInt8] {
        let labelled = labels ? "/PageLabels << /Nums [0 << /S /r >> 1 << /S /D >>] >>" : ""
        let kids = pages.indices.map { "\(4 + 2 * $0) 0 R" }.joined(separator: " ")
        var objects = [
            "<< /Type /Catalog /Pages 2 0 R \(labelled) >>",
            "<< /Type /Pages /Count \(pages.count) /Kids [\(kids)] /MediaBox [0 0 \(box.0) \(box.1)] >>",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        ]
        for (index, lines) in pages.enumerated() {
            let text = lines.enumerated().map { number, line in
                "BT /F1 10 Tf 1 0 0 1 20 \(box.1 - 50 - 14 * number) Tm (\(line)) Tj ET"
            }
            let content = (["0 0 0 rg 20 \(box.1 - 30) 100 10 re f"] + text).joined(separator: "\n")
            objects.append(
                "<< /Type /Page /Parent 2 0 R /Contents \(5 + 2 * index) 0 R /Resources << /Font << /F1 3 0 R >> >> >>")
            objects.append("<< /Length \(content.utf8.count) >>\nstream\n\(content)\nendstream")
        }
        var file = "%PDF-1.7\n"
        var places: [Int] = []
        for (index, object) in objects.enumerated() {
            places.append(file.utf8.count)
            file += "\(index + 1) 0 obj\n\(object)\nendobj\n"
        }
        let table = file.utf8.count
        file += "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
        for place in places {
            let digits = String(place)
            file += String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
        }
        file += "trailer\n<< /Size \(objects.count + 1) /Root 1 0 R >>\nstartxref\n\(table)\n%%EOF\n"
        return Array(file.utf8)
    }

    /// The width and the height of a PNG image in pixels; nil for other bytes.
    package static func pixels(ofPNG image: [UInt8]) -> (width: Int, height: Int)? {
        guard image.count > 24, image.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { return nil }
        func number(_ place: Int) -> Int { image[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        return (number(16), number(20))
    }
}
