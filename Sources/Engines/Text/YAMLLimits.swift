/// How much of YAML may be given to its reader, which calls itself for each level and visits whatever aliases repeat.
package enum YAMLLimits {
    /// Whether reading a text as YAML ends, and does not use up the stack.
    package static func allow(_ yaml: String) -> Bool { !isDeep(yaml) && !hasManyAliases(yaml) }

    /// The most levels of YAML, whose reader calls itself for each.
    private static let mostLevels = 100
    private static let mostBytes = 256 << 10
    /// The most aliases. The reader visits what they repeat in keys.
    private static let mostAliases = 10

    /// Whether YAML may be nested so deep that reading it would use up the stack.
    private static func isDeep(_ yaml: String) -> Bool {
        guard yaml.utf8.count <= mostBytes else { return true }
        var brackets = 0
        for line in yaml.utf8.split(separator: UInt8(ascii: "\n")) {
            var marks = 0
            for byte in line {
                switch byte {
                case UInt8(ascii: "["), UInt8(ascii: "{"): brackets += 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"): brackets = max(0, brackets - 1)
                case UInt8(ascii: "-"), UInt8(ascii: "?"), UInt8(ascii: ":"): marks += 1
                default: break
                }
                if brackets > mostLevels { return true }
            }
            let indent = line.prefix { $0 == UInt8(ascii: " ") }.count
            // Blocks nest by their columns, and by marks within a line.
            if indent > 2 * mostLevels || (marks > mostLevels && isChain(line)) { return true }
        }
        return false
    }

    /// Whether YAML repeats parts of itself so often that reading it would not end.
    private static func hasManyAliases(_ yaml: String) -> Bool {
        let bytes = Array(yaml.utf8)
        var (anchors, aliases) = (Set<ArraySlice<UInt8>>(), [ArraySlice<UInt8>: Int]())
        for (index, mark) in bytes.enumerated() where mark == UInt8(ascii: "&") || mark == UInt8(ascii: "*") {
            // Some line ends are outside ASCII.
            let before = index == 0 ? UInt8(ascii: "\n") : bytes[index - 1]
            guard before <= 0x20 || before >= 0x80 || ",:[{".utf8.contains(before) else { continue }
            let name = bytes[(index + 1)...].prefix {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || "_-".utf8.contains($0)
            }
            if mark == UInt8(ascii: "&") { anchors.insert(name) } else { aliases[name, default: 0] += 1 }
        }
        return anchors.reduce(0) { $0 + (aliases[$1] ?? 0) } > mostAliases
    }

    /// Whether a line has many marks of nested blocks, each followed by white space.
    private static func isChain(_ line: Substring.UTF8View.SubSequence) -> Bool {
        var count = 0
        var last: UInt8 = 0
        for byte in line {
            if byte == UInt8(ascii: " "),
                last == UInt8(ascii: "-") || last == UInt8(ascii: "?") || last == UInt8(ascii: ":")
            {
                count += 1
            }
            last = byte
        }
        return count > mostLevels
    }
}
