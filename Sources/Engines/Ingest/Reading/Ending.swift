/// The endings of file names.
enum Ending {
    /// The letters behind the last dot, in lower case; empty for a name without a dot and for one that begins with it.
    static func of(_ name: String) -> String {
        let file = name.split(separator: "/").last ?? ""
        guard let dot = file.lastIndex(of: "."), dot > file.startIndex else { return "" }
        return file[file.index(after: dot)...].lowercased()
    }

    /// A file's name without its folders and its ending.
    static func stem(_ name: String) -> String {
        let file = name.split(separator: "/").last ?? ""
        guard let dot = file.lastIndex(of: "."), dot > file.startIndex else { return String(file) }
        return String(file[..<dot])
    }
}
