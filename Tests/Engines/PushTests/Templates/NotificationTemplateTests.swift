import Delivery
import GatewayAPI
import Schedules
import TestSupport
import Testing

@testable import Push

struct NotificationTemplateTests {
    private static let text = #"""
        {"name":"build-done","inputs":[
        {"name":"project","type":"string","required":true,"max":20,"meaning":"The project"},
        {"name":"tests","type":"number","default":0,"min":0,"max":1000},
        {"name":"failed","type":"boolean","default":false},
        {"name":"day","type":"date"},
        {"name":"level","type":"choice","choices":["low","high"],"default":"low"},
        {"name":"link","type":"string","example":"https://e.de/1"}],
        "message":{"title":"{{project}} {{#failed}}failed{{/failed}}{{^failed}}passed{{/failed}}",
        "body":"{{tests}} tests{{#day}} on {{day}}{{/day}} & <done>","badge":"{{ tests }}","priority":"{{level}}",
        "url":"{{link}}","data":{"failed":"{{failed}}","count":"{{tests}} tests","tests":"{{tests}}"},
        "actions":[{"title":"Open {{project}}","url":"https://e.de/{{tests}}"}]}}
        """#

    private static func template(_ text: String = text) throws -> NotificationTemplate {
        try NotificationTemplate(PushMessageTests.json(text))
    }

    @Test func `values fill a message`() throws {
        let message = try Self.template().render([
            "project": .string("Selene"), "tests": .integer(12), "failed": .bool(true), "day": .string("2026-11-22"),
            "level": .string("high"), "link": .string("https://e.de/b"),
        ])
        #expect(message.title == "Selene failed")
        #expect(message.body == "12 tests on 2026-11-22 & <done>")
        #expect(message.badge == 12)
        #expect(message.priority == .high)
        #expect(message.url == "https://e.de/b")
        #expect(message.data == ["failed": .bool(true), "count": .string("12 tests"), "tests": .integer(12)])
        #expect(message.actions.first?.title == "Open Selene")
        #expect(message.actions.first?.effect == .open(url: "https://e.de/12"))
    }

    @Test func `defaults stand in, and texts that stay empty are left out`() throws {
        let message = try Self.template().render(["project": .string("A"), "link": .null])
        #expect(message.title == "A passed")
        #expect(message.body == "0 tests & <done>")
        #expect(message.badge == 0)
        #expect(message.priority == .low)
        #expect(message.url == nil)
        #expect(message.data["failed"] == .bool(false))
    }

    @Test func `a preview needs no values`() throws {
        let message = try Self.template().preview()
        #expect(message.title == "Text passed")
        #expect(message.url == "https://e.de/1")
    }

    @Test(
        arguments: [
            ([:], "inputs.project"), (["project": .string(String(repeating: "a", count: 21))], "inputs.project"),
            (["project": .integer(1)], "inputs.project"), (["project": .string("a\u{0}")], "inputs.project"),
            (["project": .string("a"), "tests": .string("1")], "inputs.tests"),
            (["project": .string("a"), "tests": .integer(-1)], "inputs.tests"),
            (["project": .string("a"), "tests": .number(1000.5)], "inputs.tests"),
            (["project": .string("a"), "tests": .number(.nan)], "inputs.tests"),
            (["project": .string("a"), "failed": .string("true")], "inputs.failed"),
            (["project": .string("a"), "day": .string("2026-02-30")], "inputs.day"),
            (["project": .string("a"), "day": .string("today")], "inputs.day"),
            (["project": .string("a"), "level": .string("max")], "inputs.level"),
            (["project": .string("a"), "color": .string("red")], "inputs.color"),
            (["project": .string("a"), "link": .string("javascript:1")], "url"),
            (["project": .string("a"), "tests": .number(1.5)], "badge"), (["project": .string("a\nb")], "title"),
        ] as [([String: JSONValue], String)])
    func `an error names the input or the field`(given: [String: JSONValue], field: String) throws {
        let template = try Self.template()
        let error = #expect(throws: PushFieldError.self) { try template.render(given) }
        #expect(error?.field == field)
    }

    @Test(arguments: [
        (#"{"inputs":[],"message":{"body":"a"}}"#, "name"), (#"{"name":"A b","message":{"body":"a"}}"#, "name"),
        (#"{"name":"a"}"#, "message"), (#"{"name":"a","message":{"body":"a"},"x":1}"#, "x"),
        (#"{"name":"a","message":{"body":"{{b}}"}}"#, "message.body"),
        (#"{"name":"a","message":{"body":"{{b"}}"#, "message.body"),
        (#"{"name":"a","message":{"body":"a","text":"b"}}"#, "message.text"),
        (#"{"name":"a","message":{}}"#, "message.body"),
        (#"{"name":"a","message":{"body":"{{>b}}"}}"#, "message.body"),
        (#"{"name":"a","message":{"body":"x","data":{"l":["{{{b}}}"]}}}"#, "message.data.l[0]"),
        (#"{"name":"a","inputs":[{"type":"string"}],"message":{"body":"a"}}"#, "inputs[0].name"),
        (#"{"name":"a","inputs":[{"name":"A","type":"string"}],"message":{"body":"a"}}"#, "inputs[0].name"),
        (#"{"name":"a","inputs":[{"name":"a","type":"text"}],"message":{"body":"a"}}"#, "inputs[0].type"),
        (#"{"name":"a","inputs":[{"name":"a"}],"message":{"body":"a"}}"#, "inputs[0].type"),
        (
            #"{"name":"a","inputs":[{"name":"a","type":"date"},{"name":"a","type":"date"}],"message":{"body":"a"}}"#,
            "inputs[1].name"
        ),
        (#"{"name":"a","inputs":[{"name":"a","type":"choice"}],"message":{"body":"a"}}"#, "inputs[0].choices"),
        (
            #"{"name":"a","inputs":[{"name":"a","type":"choice","choices":["b","b"]}],"message":{"body":"a"}}"#,
            "inputs[0].choices[1]"
        ),
        (
            #"{"name":"a","inputs":[{"name":"a","type":"date","choices":["b"]}],"message":{"body":"a"}}"#,
            "inputs[0].choices"
        ),
        (#"{"name":"a","inputs":[{"name":"a","type":"date","min":1}],"message":{"body":"a"}}"#, "inputs[0].min"),
        (#"{"name":"a","inputs":[{"name":"a","type":"string","max":1e9}],"message":{"body":"a"}}"#, "inputs[0].max"),
        (
            #"{"name":"a","inputs":[{"name":"a","type":"string","min":2,"max":1}],"message":{"body":"a"}}"#,
            "inputs[0].max"
        ),
        (
            #"{"name":"a","inputs":[{"name":"a","type":"number","min":2,"max":1}],"message":{"body":"a"}}"#,
            "inputs[0].max"
        ),
        (
            #"{"name":"a","inputs":[{"name":"a","type":"number","default":"1"}],"message":{"body":"a"}}"#,
            "inputs[0].default"
        ),
        (
            #"{"name":"a","inputs":[{"name":"a","type":"number","max":5,"example":6}],"message":{"body":"a"}}"#,
            "inputs[0].example"
        ),
        (#"{"name":"a","inputs":[{"name":"a","type":"string"}],"message":{"body":"a","url":"{{a}}"}}"#, "message.url"),
    ])
    func `a definition is checked before it is stored`(text: String, field: String) {
        let error = #expect(throws: PushFieldError.self) { try Self.template(text) }
        #expect(error?.field == field)
    }

    @Test func `many tags with long values are refused`() throws {
        let tags = String(repeating: "{{a}}", count: 200)
        let template = try Self.template(
            #"{"name":"a","inputs":[{"name":"a","type":"string"}],"message":{"body":"x","data":{"a":"\#(tags)"}}}"#)
        let value = String(repeating: "b", count: 2048)
        let error = #expect(throws: PushFieldError.self) { try template.render(["a": .string(value)]) }
        #expect(error?.field == "data.a")
        #expect(throws: Never.self) { try template.render(["a": .string("b")]) }
    }

    @Test func `values are no templates`() throws {
        let template = try Self.template(
            #"{"name":"a","inputs":[{"name":"a","type":"string"}],"message":{"body":"{{a}}"}}"#)
        #expect(try template.render(["a": .string("{{a}}{{>x}}\u{22}")]).body == "{{a}}{{>x}}\u{22}")
    }

    @Test func `samples are within the limits of their inputs`() throws {
        for kind in [
            #""type":"string","min":3,"max":3"#, #""type":"string","max":0"#, #""type":"string","min":9"#,
            #""type":"number","min":5"#, #""type":"number","max":-5"#, #""type":"boolean""#, #""type":"date""#,
            #""type":"choice","choices":["x"]"#,
        ] {
            let input = try TemplateInput(PushMessageTests.json("{\"name\":\"a\",\(kind)}"), field: "i")
            try input.check(input.sample, field: "sample")
        }
    }

    @Test func `random definitions never trap`() {
        var random = SeededGenerator(15)
        for _ in 0..<5000 {
            let input: JSONValue = .object([
                "name": .string("a"),
                "type": .string(["string", "number", "date"].randomElement(using: &random) ?? ""),
                "min": PushMessagePropertyTests.value(&random, depth: 0),
                "max": PushMessagePropertyTests.value(&random, depth: 0),
                "default": PushMessagePropertyTests.value(&random, depth: 0),
            ])
            let message = PushMessagePropertyTests.value(&random, depth: 3)
            _ = try? NotificationTemplate(
                .object(["name": .string("a"), "inputs": .array([input]), "message": message]))
        }
    }
}
