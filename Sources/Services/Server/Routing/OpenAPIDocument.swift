/// Joins the descriptions of the features' routes into one OpenAPI document.
///
/// A part is YAML with the sections of an OpenAPI document (`tags`, `paths`, `components`), indented by two spaces a level.
/// A part may refer to schemas of other parts.
package enum OpenAPIDocument {
    /// The parts as one document: equal sections become one, and so do the sections of `components`.
    ///
    /// Names that two parts define are not looked for; a test does that for the parts of the gateway.
    package static func joined(_ parts: [String]) -> String {
        var document = Section()
        for part in parts {
            let lines = part.split(separator: "\n", omittingEmptySubsequences: false)
            document.add(lines.last == "" ? lines.dropLast() : lines, indentation: 0)
        }
        return document.lines.joined(separator: "\n") + "\n"
    }

    /// Lines under a key, or the whole document.
    private struct Section {
        private var keys: [Substring] = []
        private var sections: [Substring: Section] = [:]
        private var own: [Substring] = []

        /// Its lines, without the key's own.
        var lines: [Substring] { own + keys.flatMap { [$0] + (sections[$0]?.lines ?? []) } }

        /// Adds lines. The keys at this indentation get sections of their own.
        mutating func add(_ lines: [Substring], indentation: Int) {
            var rest = lines[...]
            while let key = rest.popFirst() {
                let end = rest.firstIndex { !$0.isEmpty && !$0.isIndented(beyond: indentation) } ?? rest.endIndex
                if sections[key] == nil { keys.append(key) }
                if key == "components:" {
                    sections[key, default: Section()].add(Array(rest[..<end]), indentation: indentation + 2)
                } else {
                    sections[key, default: Section()].own += rest[..<end]
                }
                rest = rest[end...]
            }
        }
    }
}

extension Substring {
    /// Whether the line starts with more spaces than these.
    fileprivate func isIndented(beyond spaces: Int) -> Bool { utf8.prefix { $0 == UInt8(ascii: " ") }.count > spaces }
}
