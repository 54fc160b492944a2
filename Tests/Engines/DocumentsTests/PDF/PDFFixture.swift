/// Writes small PDF files: objects, the table of their places, the trailer.
struct PDFFixture {
    /// By number, from 1. Object 1 is the catalog, 2 the page tree, 3 the font Helvetica.
    private(set) var objects: [Int: [UInt8]] = [:]
    private var next = 4
    private var pages: [Int] = []
    var catalog = ""
    var trailer = ""

    init() {
        set(3, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    }

    /// A file of pages with a content each, 612 × 792 points.
    static func pages(_ contents: String..., extra: String = "") -> [UInt8] {
        var fixture = PDFFixture()
        for content in contents { fixture.addPage(content, extra: extra) }
        return fixture.bytes()
    }

    /// Text at places in Helvetica: x and y from the bottom left corner.
    static func text(_ lines: [(Double, Double, String)], size: Double = 12) -> String {
        lines.map { "BT /F1 \(size) Tf 1 0 0 1 \($0.0) \($0.1) Tm (\($0.2)) Tj ET" }.joined(separator: "\n")
    }

    mutating func set(_ number: Int, _ object: String) {
        objects[number] = Array(object.utf8)
        next = max(next, number + 1)
    }

    @discardableResult
    mutating func add(_ object: String) -> Int {
        set(next, object)
        return next - 1
    }

    @discardableResult
    mutating func addStream(_ bytes: [UInt8], _ dictionary: String = "") -> Int {
        let number = next
        next += 1
        objects[number] =
            Array("<< \(dictionary) /Length \(bytes.count) >>\nstream\n".utf8) + bytes + Array("\nendstream".utf8)
        return number
    }

    /// - Parameters:
    ///   - fonts: Entries besides F1.
    ///   - resources: Entries besides fonts.
    ///   - extra: Entries of the page.
    /// - Returns: The number of the page's object.
    @discardableResult
    mutating func addPage(_ content: String, fonts: String = "", resources: String = "", extra: String = "") -> Int {
        let stream = addStream(Array(content.utf8))
        let page = add(
            """
            << /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents \(stream) 0 R
            /Resources << /Font << /F1 3 0 R \(fonts) >> \(resources) >> \(extra) >>
            """)
        pages.append(page)
        return page
    }

    func bytes() -> [UInt8] {
        var fixture = self
        if objects[1] == nil { fixture.set(1, "<< /Type /Catalog /Pages 2 0 R \(catalog) >>") }
        if objects[2] == nil {
            let kids = pages.map { "\($0) 0 R" }.joined(separator: " ")
            fixture.set(2, "<< /Type /Pages /Count \(pages.count) /Kids [\(kids)] >>")
        }
        var file = Array("%PDF-1.7\n".utf8)
        var places: [Int: Int] = [:]
        for number in fixture.objects.keys.sorted() {
            places[number] = file.count
            file += Array("\(number) 0 obj\n".utf8) + (fixture.objects[number] ?? []) + Array("\nendobj\n".utf8)
        }
        let table = file.count
        let count = (places.keys.max() ?? 0) + 1
        file += Array("xref\n0 \(count)\n0000000000 65535 f \n".utf8)
        for number in 1..<count {
            let digits = String(places[number] ?? 0)
            let padded = String(repeating: "0", count: 10 - digits.count) + digits
            file += Array("\(padded) 00000 \(places[number] == nil ? "f" : "n") \n".utf8)
        }
        file += Array("trailer\n<< /Size \(count) /Root 1 0 R \(trailer) >>\nstartxref\n\(table)\n%%EOF\n".utf8)
        return file
    }
}
