import GatewayAPI
package import NIOCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Replaces parts of a JSON body and keeps all other bytes unchanged.
package struct BodyRewrite {
    private var edits: [(range: Range<Int>, bytes: [UInt8])] = []
    private let peek: ModelPeek

    package init(_ peek: ModelPeek) { self.peek = peek }

    /// Replaces the model's name, in the member that Ollama reads.
    package mutating func setModel(_ name: String) {
        guard case .some(let member?) = peek.modelMember else { return }
        edits.append((member.range, JSONText.literal(name)))
    }

    /// Fills in a model's defaults. The peek must have seen the whole body.
    ///
    /// - Parameter body: The whole body, as the peek has seen it.
    package mutating func fill(_ defaults: ModelDefaults, in body: ByteBuffer) {
        guard case .ended(let end) = peek.scanner.progress else { return }
        var additions: [[UInt8]] = []
        let given = peek.members("keep_alive")
        // Ollama ignores null, so its own default then applies to a pinned model without one.
        let value = defaults.keepAlive.map(Self.json) ?? Array("null".utf8)
        if defaults.isPinned {
            for member in given where member.kind != .null || defaults.keepAlive != nil {
                edits.append((member.range, value))
            }
        } else if defaults.keepAlive != nil, let last = given.last, given.allSatisfy({ $0.kind == .null }) {
            edits.append((last.range, value))
        }
        if defaults.keepAlive != nil, given.isEmpty { additions.append(Array("\"keep_alive\":".utf8) + value) }
        fillOptions(defaults, body, &additions)
        guard !additions.isEmpty else { return }
        let list = additions.joined(separator: [UInt8(ascii: ",")])
        edits.append((end..<end, (peek.scanner.hasMembers ? [UInt8(ascii: ",")] : []) + list))
    }

    private mutating func fillOptions(_ defaults: ModelDefaults, _ body: ByteBuffer, _ additions: inout [[UInt8]]) {
        let all = Self.members(of: defaults.options) { _ in true }
        let given = peek.members("options")
        guard let last = given.last else {
            if !all.isEmpty { additions.append(Array("\"options\":{".utf8) + all + [UInt8(ascii: "}")]) }
            return
        }
        // For any other type Ollama returns its own error.
        guard given.allSatisfy({ $0.kind == .object || $0.kind == .null }) else { return }
        // Go merges repeated objects into one map, and null empties the map: objects before a null have no effect.
        let counting = given.suffix(while: { $0.kind != .null })
        if counting.isEmpty, !all.isEmpty {
            for member in given.dropLast() where member.kind == .object {
                edits.append((member.range, Array("{}".utf8)))
            }
            return edits.append((last.range, Array("{".utf8) + all + Array("}".utf8)))
        }
        var present: Set<String> = []
        var lastScanner: MemberScanner?
        for (index, member) in zip(given.indices, given) where member.kind == .object {
            let counts = counting.indices.contains(index)
            guard counts || defaults.isPinned else { continue }
            let scanner = scan(member.range, of: body)
            guard case .ended = scanner.progress else {
                if defaults.isPinned { edits.append((member.range, Array("{".utf8) + all + Array("}".utf8))) }
                if counts { return }
                continue
            }
            for option in scanner.members {
                let own = defaults.options[option.name]
                let isRunners = defaults.isPinned && ModelDefaults.isRunnerOption(option.name)
                if counts, option.kind != .null || own == nil || isRunners { present.insert(option.name) }
                guard isRunners || (counts && option.kind == .null && own != nil) else { continue }
                // Ollama ignores null, which removes the request's own option.
                let start = member.range.lowerBound
                edits.append(
                    (
                        start + option.range.lowerBound..<start + option.range.upperBound,
                        own.map(Self.json) ?? Array("null".utf8)
                    ))
                if counts { present.insert(option.name) }
            }
            if counts { lastScanner = scanner }
        }
        let missing = Self.members(of: defaults.options) { !present.contains($0) }
        guard !missing.isEmpty, let scanner = lastScanner else { return }
        let place = last.range.upperBound - 1
        edits.append((place..<place, (scanner.hasMembers ? [UInt8(ascii: ",")] : []) + missing))
    }

    private func scan(_ range: Range<Int>, of body: ByteBuffer) -> MemberScanner {
        var scanner = MemberScanner { _ in true }
        guard let part = body.getSlice(at: body.readerIndex + range.lowerBound, length: range.count) else {
            return scanner
        }
        unsafe part.withUnsafeReadableBytes { unsafe scanner.push($0) }
        return scanner
    }

    private static func members(of options: [String: JSONValue], where isWanted: (String) -> Bool) -> [UInt8] {
        let members = options.filter { isWanted($0.key) }.sorted { $0.key < $1.key }
        return Array(
            members.map { JSONText.literal($0.key) + [UInt8(ascii: ":")] + json($0.value) }
                .joined(separator: [UInt8(ascii: ",")]))
    }

    private static func json(_ value: JSONValue) -> [UInt8] {
        // A value decoded from JSON can be encoded again.
        (try? JSONEncoder().encode(value)).map { Array($0) } ?? Array("null".utf8)
    }

    /// The number of bytes that the edits add to the body.
    package var growth: Int { edits.reduce(0) { $0 + $1.bytes.count - $1.range.count } }

    /// Applies the edits to a body, or to its beginning if only that is available.
    package func apply(to body: ByteBuffer) -> ByteBuffer {
        guard !edits.isEmpty else { return body }
        var body = body
        var result = ByteBuffer()
        result.reserveCapacity(body.readableBytes + max(0, growth))
        var position = 0
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            guard edit.range.lowerBound >= position, var kept = body.readSlice(length: edit.range.lowerBound - position)
            else { continue }
            result.writeBuffer(&kept)
            result.writeBytes(edit.bytes)
            body.moveReaderIndex(forwardBy: edit.range.count)
            position = edit.range.upperBound
        }
        result.writeBuffer(&body)
        return result
    }
}

extension Array {
    /// The elements after the last one that does not satisfy a condition.
    fileprivate func suffix(while isWanted: (Element) -> Bool) -> ArraySlice<Element> {
        self[(lastIndex { !isWanted($0) }.map { $0 + 1 } ?? startIndex)...]
    }
}
