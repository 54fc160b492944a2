import GatewayAPI
import TestSupport
import Testing

@testable import Tools

/// The reader of single bytes against the reader of whole texts.
struct CallShapeTests {
    private static let names = ["search_notes", "read_note"].map { Array($0.utf8) }

    /// Where a shape is complete; nil when it rejects a byte or wants more.
    private func end(of json: [UInt8], _ toolNames: [[UInt8]]?) -> Int? {
        var shape = CallShape(toolNames: toolNames)
        for (place, byte) in json.enumerated() {
            switch shape.read(byte) {
            case .more: continue
            case .complete: return place + 1
            case .impossible: return nil
            }
        }
        return nil
    }

    private func space(_ random: inout SeededGenerator) -> String {
        ["", "", " ", "\n  "].randomElement(using: &random) ?? ""
    }

    private func value(depth: Int, _ random: inout SeededGenerator) -> String {
        let leaves = ["1", "-0.5e3", "true", "null", #""""#, #""a\"}b""#, #""é\\""#, "[]", "{}"]
        guard depth > 0, Bool.random(using: &random) else { return leaves.randomElement(using: &random) ?? "1" }
        let inner = (0..<Int.random(in: 1...3, using: &random)).map { _ in value(depth: depth - 1, &random) }
        let separator = "," + space(&random)
        return Bool.random(using: &random)
            ? "[" + inner.joined(separator: separator) + "]"
            : "{" + inner.enumerated().map { "\"k\($0.offset)\":\($0.element)" }.joined(separator: separator) + "}"
    }

    private func call(_ random: inout SeededGenerator) -> String {
        let name = ["search_notes", "read_note", "other"].randomElement(using: &random) ?? ""
        let key = ["name", "tool", "function"].randomElement(using: &random) ?? ""
        let arguments = ["arguments", "parameters", "args", "input"].randomElement(using: &random) ?? ""
        var members = [
            "\"\(key)\":\(space(&random))\"\(name)\"",
            "\"\(arguments)\":" + space(&random) + "{\"a\":\(value(depth: 3, &random))}",
        ]
        if Bool.random(using: &random) { members.append("\"id\": " + value(depth: 1, &random)) }
        if Bool.random(using: &random) { members.append(#""type": "function""#) }
        members.shuffle(using: &random)
        let object = "{" + space(&random) + members.joined(separator: "," + space(&random)) + "}"
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return "[\(object),\(space(&random))\(object)]"
        case 1: return "{\"tool_calls\":[\(object)]}"
        case 2 where key != "function": return "{\"function\":\(object)}"
        default: return object
        }
    }

    @Test func `whatever the parser takes as calls the shape takes, and ends where it ends`() {
        var random = SeededGenerator(17)
        var (taken, changed) = (0, 0)
        for _ in 0..<3000 {
            var json = Array(call(&random).utf8)
            let isChanged = Bool.random(using: &random)
            if isChanged, let place = json.indices.randomElement(using: &random) {
                json[place] = Array(#"{}[]",: an\1"#.utf8).randomElement(using: &random) ?? 0
            }
            for toolNames in [nil, Self.names] where CallJSON.calls(json, toolNames: toolNames) != nil {
                taken += 1
                changed += isChanged ? 1 : 0
                #expect(end(of: json, toolNames) == json.count, "\(String(decoding: json, as: UTF8.self))")
            }
        }
        #expect(taken > 1000 && changed > 100)
    }

    @Test func `nesting is bounded`() {
        let start = #"{"name":"read_note","arguments":{"a":"#
        let (most, over) = (CallShape.depthLimit - 2, CallShape.depthLimit - 1)
        for (depth, isTaken) in [(most, true), (over, false)] {
            let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            #expect((end(of: Array((start + nested + "}}").utf8), nil) != nil) == isTaken)
        }
    }
}
