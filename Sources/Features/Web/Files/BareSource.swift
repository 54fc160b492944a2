/// Takes what only people read out of scripts and styles: comments that begin a line, types of scripts (`/** @…*/`), blank
/// lines, indentation.
///
/// The files stay as they are in the repository; browsers load a fifth less. Other comments behind code stay. A line of a
/// script keeps its end, so nothing changes its meaning. Tests keep two things out of the scripts: text of several lines, in
/// which a line may begin with what looks like a comment, and strings that hold what looks like a type.
enum BareSource {
    /// The bytes of a `.js` or `.css` file without them; other files as they are.
    static func of(_ path: String, _ bytes: [UInt8]) -> [UInt8] {
        let isScript = path.hasSuffix(".js")
        guard isScript || path.hasSuffix(".css") else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var isComment = false
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            var rest = line
            if isComment {
                guard let end = end(of: rest) else { continue }
                rest = rest[end...]
                isComment = false
            }
            rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            while rest.starts(with: "/*".utf8) {
                guard let end = end(of: rest.dropFirst(2)) else {
                    isComment = true
                    break
                }
                rest = rest[end...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            }
            if isComment || rest.isEmpty || (isScript && rest.starts(with: "//".utf8)) { continue }
            if isScript { appendWithoutTypes(rest, to: &result) } else { result += rest }
            result.append(UInt8(ascii: "\n"))
        }
        return result
    }

    /// Appends a line without the types behind code, each with the space that follows it.
    private static func appendWithoutTypes(_ line: ArraySlice<UInt8>, to result: inout [UInt8]) {
        let start = Array("/** @".utf8)
        var index = line.startIndex
        while index < line.endIndex {
            if line[index...].starts(with: start), let end = end(of: line[(index + start.count)...]) {
                index = end < line.endIndex && line[end] == UInt8(ascii: " ") ? end + 1 : end
            } else {
                result.append(line[index])
                index += 1
            }
        }
    }

    /// The index behind `*/`.
    private static func end(of line: ArraySlice<UInt8>) -> Int? {
        var isStar = false
        for index in line.indices {
            if isStar, line[index] == UInt8(ascii: "/") { return index + 1 }
            isStar = line[index] == UInt8(ascii: "*")
        }
        return nil
    }
}
