/// Takes what only people read out of scripts and styles: comments that begin a line, blank lines, indentation.
///
/// The files stay as they are in the repository; browsers load a fifth less. Comments behind code stay, so no string is ever
/// read. A line of a script keeps its end, so nothing changes its meaning. A test keeps text of several lines out of
/// the scripts: in it, a line may begin with what looks like a comment.
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
            result += rest
            result.append(UInt8(ascii: "\n"))
        }
        return result
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
