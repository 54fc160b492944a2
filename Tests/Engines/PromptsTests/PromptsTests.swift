import Prompts
import Testing

@Suite struct PromptTemplates {
    @Test func `the answer prompt numbers its notes and escapes nothing`() throws {
        let prompt = try Prompts().answer(
            question: "Is 5 < 6 & \"so\"?",
            notes: [
                .init(title: "A <b>", date: "2026-01-02", content: "one\ntwo"),
                .init(title: "潮", date: "2026-01-03", content: "{{question}}"),
            ])
        #expect(prompt.contains("[1] A <b> (2026-01-02): one two\n[2] 潮 (2026-01-03): {{question}}\n"))
        #expect(prompt.contains("Question: Is 5 < 6 & \"so\"?\nAnswer:"))
        #expect(!prompt.contains("CONTENT_TYPE"))
    }
}
