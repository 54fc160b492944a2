/// The one spelling of a path under which routes are looked up, for all that answer: without empty segments and without a
/// slash at the end. Clients join a base address that ends in a slash with paths that begin with one.
enum PathNormalization {
    private static let slash = UInt8(ascii: "/")

    /// The target in that spelling, with its query; nil when it already has it, or is no path.
    static func plain(_ target: String) -> String? {
        let bytes = target.utf8
        guard bytes.first == slash else { return nil }
        let path = bytes.prefix { $0 != UInt8(ascii: "?") }
        var plain: [UInt8] = []
        plain.reserveCapacity(bytes.count)
        for byte in path where byte != slash || plain.last != slash { plain.append(byte) }
        if plain.count > 1, plain.last == slash { plain.removeLast() }
        guard plain.count < path.count else { return nil }
        plain.append(contentsOf: bytes.dropFirst(path.count))
        return String(decoding: plain, as: UTF8.self)
    }
}
