import Delivery
import GatewayAPI
import Schedules
import TestSupport
import Testing

@testable import Push

struct PushMessagePropertyTests {
    @Test func `random messages survive their JSON text`() throws {
        var random = SeededGenerator(7)
        for _ in 0..<2000 {
            let message = Self.message(&random)
            guard (try? message.check()) != nil else { continue }
            let text = message.json.json
            let value = try #require(JSONDocument(parsing: text).value)
            #expect(try PushMessage(value) == message)
        }
    }

    @Test func `random JSON never traps and errors name a field`() {
        var random = SeededGenerator(8)
        var refused = 0
        for _ in 0..<20_000 {
            do { _ = try PushMessage(Self.value(&random, depth: 3)) } catch {
                #expect(!error.field.isEmpty)
                refused += 1
            }
        }
        #expect(refused > 1000)
    }

    static func text(_ random: inout SeededGenerator) -> String {
        let pool = ["a", "é", "日", "\"", "\\", " ", "\u{1F600}", "https://", "e.de", "/", "x"]
        return (0..<Int.random(in: 0...6, using: &random)).map { _ in pool.randomElement(using: &random) ?? "" }
            .joined()
    }

    private static func message(_ random: inout SeededGenerator) -> PushMessage {
        var message = PushMessage()
        message.title = Bool.random(using: &random) ? text(&random) : nil
        message.body = text(&random)
        message.badge = Bool.random(using: &random) ? Int64.random(in: 0...99_999, using: &random) : nil
        message.priority = DeliveryPriority.allCases.randomElement(using: &random) ?? .normal
        message.interruption = PushMessage.Interruption.allCases.randomElement(using: &random)
        message.expires = Instant(seconds: Int64.random(in: 0...2_000_000_000, using: &random))
        message.tags = Bool.random(using: &random) ? ["t" + text(&random)] : []
        message.data = ["n": .integer(Int64.random(in: .min ... .max, using: &random)), "t": .string(text(&random))]
        message.sound = PushSound("s", isCritical: Bool.random(using: &random), volume: 0.25)
        let effects: [PushAction.Effect] = [
            .open(url: "https://e.de/" + text(&random)), .shortcut(name: "s" + text(&random)), .reply, .acknowledge,
            .server(name: "n" + text(&random)),
            .request(PushAction.Request(url: "http://e.de", method: .get, headers: ["A": text(&random)], body: "b")),
        ]
        for number in 0..<Int.random(in: 0...4, using: &random) {
            let effect = effects.randomElement(using: &random) ?? .reply
            message.actions.append(
                PushAction(
                    id: "i\(number)", title: "t" + text(&random), effect: effect, keeps: Bool.random(using: &random)))
        }
        return message
    }

    static let names = [
        "title", "body", "sound", "badge", "actions", "url", "type", "data", "activity", "event", "state", "time",
        "image",
        "tags", "expires", "headers", "input", "other",
    ]

    /// A value of any shape; objects use the names of a message.
    static func value(_ random: inout SeededGenerator, depth: Int) -> JSONValue {
        switch Int.random(in: 0...(depth == 0 ? 4 : 7), using: &random) {
        case 0: return .null
        case 1: return .bool(true)
        case 2: return .integer([.min, -1, 0, 7, .max].randomElement(using: &random) ?? 0)
        case 3: return .number([-1.5, 0.5, 1e300].randomElement(using: &random) ?? 0)
        case 4: return .string(text(&random))
        case 5: return .array((0..<2).map { _ in value(&random, depth: depth - 1) })
        default:
            var members: [String: JSONValue] = [:]
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                members[names.randomElement(using: &random) ?? ""] = value(&random, depth: depth - 1)
            }
            return .object(members)
        }
    }
}
