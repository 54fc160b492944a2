import Foundation
import Prompts
import TestSupport
import Testing

/// The library's prompts, and the rules of templates from outside.
@Suite struct PromptDocuments {
    @Test func `every file of the library is listed, valid and in its folder`() throws {
        let prompts = try CuratedPrompts.load()
        let library = Repository.root.appending(path: "Prompts/Library")
        var files: [String] = []
        for kind in PromptDocument.Kind.allCases {
            let folder = library.appending(path: kind.rawValue)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(names.count >= 4, "\(kind)")
            for name in names {
                let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
                let prompt = try PromptDocument(parsing: text)
                #expect(prompt.kind == kind && prompt.text == text, "\(name)")
                #expect(name == prompt.id.replacing("-", with: "_") + ".mustache")
                files.append(prompt.id)
            }
        }
        #expect(prompts.map(\.id) == files && files.count >= 24 && Set(files).count == files.count)
    }

    @Test func `every prompt of the library is usable without a value`() throws {
        for prompt in try CuratedPrompts.load() {
            let text = try prompt.render(try prompt.values([:]))
            #expect(!text.contains("{{") && !text.contains("CONTENT_TYPE") && text.utf8.count > 80, "\(prompt.id)")
            #expect(!prompt.purpose.isEmpty && !prompt.variables.contains { $0.meaning.isEmpty }, "\(prompt.id)")
            for variable in prompt.variables where !["days", "tag", "thread"].contains(variable.name) {
                #expect(try prompt.render(prompt.values([variable.name: "ZEBRA"])).contains("ZEBRA"), "\(prompt.id)")
            }
        }
    }

    @Test func `values are inserted as they are, and empty ones leave out their section`() throws {
        let prompt = PromptDocument(
            id: "p", title: "P", kind: .specific, variables: [.init(name: "a", defaultValue: "x"), .init(name: "b")],
            body: "{{! note }}A {{a}}{{#b}}, B {{b}}{{/b}}{{^b}}, none{{/b}}.")
        #expect(try prompt.render(prompt.values([:])) == "A x, none.")
        #expect(try prompt.render(prompt.values(["a": "<1> & \"{{b}}\"", "b": "2"])) == "A <1> & \"{{b}}\", B 2.")
        #expect(throws: PromptError.self) { try prompt.values(["c": "1"]) }
        #expect(throws: PromptError.self) { try prompt.values(["a": String(repeating: "x", count: 9000)]) }
    }

    @Test func `values cannot make a text of any size`() throws {
        let prompt = PromptDocument(
            id: "p", title: "P", kind: .specific, variables: [.init(name: "a")],
            body: String(repeating: "{{a}}", count: 5000))
        let values = try prompt.values(["a": String(repeating: "x", count: 8000)])
        #expect { try prompt.render(values) } throws: { "\($0)".contains("longer than 65536 bytes") }
        #expect(try prompt.render(["a": "x"]).utf8.count == 5000)
    }

    @Test(arguments: [
        "{{> other}}", "{{=<% %>=}}", "{{{a}}}", "{{&a}}", "{{% CONTENT_TYPE:HTML}}", "{{$a}}{{/a}}", "{{c}}", "{{a",
        "{{#a}}",
        "{{/a}}", "{{#a}}{{#b}}{{/a}}{{/b}}", "", "  \n ", "{{uppercased(a)}}", "{{a.b}}", "{{}}", "{{#}}", "a\u{0}",
        String(repeating: "{{#a}}", count: 9) + String(repeating: "{{/a}}", count: 9),
        String(repeating: "{{#a}}", count: 5000), String(repeating: "\n", count: 1200) + "x",
        String(repeating: "x", count: 40_000),
    ])
    func `a template with anything else is refused`(text: String) {
        #expect(throws: PromptError.self) { try PromptTemplate.check(text, variables: ["a", "b"]) }
    }

    @Test(arguments: [
        ("id: p", "expected ---"), ("---\nid: p\ntitle: P\nkind: specific\nx", "expected FIELD"),
        ("---\nid: p\ntitle: P\nkind: odd\n---\nx", "expected reflective"),
        ("---\nid: p\nid: p\n---\nx", "twice"), ("---\ncolour: red\n---\nx", "unknown field"),
        ("---\nid: p\ntitle: P\nkind: specific\nvariable: days\n---\nx", "variable: NAME"),
        ("---\nid: p\ntitle: P\nkind: specific\nvariable: Days = 1\n---\nx", "a letter first"),
        ("---\nid: P\ntitle: P\nkind: specific\n---\nx", "lower-case"), ("---\nid: p\nkind: specific\n---\nx", "title"),
        ("---\nid: p\ntitle: P\nkind: specific\nchat: odd\n---\nx", "expected ask"), ("---\nid: p", "after the fields"),
    ])
    func `text that is no prompt is refused with the reason`(text: String, reason: String) {
        #expect { try PromptDocument(parsing: text) } throws: { "\($0)".contains(reason) }
    }

    @Test func `the text form reads back, with any line ends`() throws {
        let text = """
            ---\r
            id: p-1\r
            title: A: b = c\r
            kind: creative\r
            for: x | y\r
            chat: synthesis\r
            variable: a = 1 = 2 | m | n\r
            ---\r
            \r
            one {{a}}\r
            two  \r
            """
        let prompt = try PromptDocument(parsing: text)
        #expect(prompt.title == "A: b = c" && prompt.purpose == "x | y" && prompt.chat == .synthesis)
        #expect(prompt.variables == [.init(name: "a", defaultValue: "1 = 2", meaning: "m | n")])
        #expect(prompt.body == "one {{a}}\ntwo")
        #expect(try PromptDocument(parsing: prompt.text) == prompt)
    }
}
