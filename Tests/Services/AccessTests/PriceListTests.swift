import KeyRoom
import TestSupport
import Testing

@testable import Access

@Suite struct PriceLists {
    @Test func `a model's own line counts, else the longest beginning`() throws {
        let list = try PriceList(
            """
            # what we pay
            currency EUR
            claude/*        1.00   5.00
            claude/haiku*   0.25 1.25   # cheaper
            claude/haiku-4  0.5  2
            llama3.2  0.01 0.02
            elsewhere 2.5 10 gpt-5 mini
            """)
        #expect(list.currency == "EUR" && list.elsewhere == "gpt-5 mini" && !list.isEmpty)
        #expect(list.price(of: "claude/haiku-4")?.prompt == 0.5)
        #expect(list.price(of: "Claude/Haiku-5")?.completion == 1.25)
        #expect(list.price(of: "claude/opus")?.prompt == 1)
        #expect(list.price(of: "LLAMA3.2:latest")?.prompt == 0.01)
        #expect(list.price(of: "registry.ollama.ai/library/llama3.2")?.prompt == 0.01)
        #expect(list.price(of: "llama3.2:1b") == nil && list.price(of: nil) == nil)
        #expect(list.cost(of: "claude/opus", prompt: 1_000_000, completion: 100_000) == Money("1.5"))
        #expect(list.cost(of: "llama3.2", prompt: 1, completion: 0) == Money(billionths: 10))
        #expect(list.cost(of: "other", prompt: .max, completion: .max) == .zero)
        #expect(list.costElsewhere(prompt: 1_000_000, completion: 0) == Money("2.5"))
        #expect(try PriceList("* 1 1").price(of: nil) != nil)
        #expect(PriceList.none.isEmpty && PriceList.none.costElsewhere(prompt: 1, completion: 1) == nil)
    }

    @Test func `a wrong line is named`() {
        for (text, line) in [
            ("m 1", 1), ("\n\nm one 2", 3), ("m 1 2\nM:latest 1 2", 2), ("m -1 2", 1), ("m 1 20000", 1),
            ("currency", 1), ("m 1 2 3", 1), ("elsewhere 1", 1), ("m 1e3 2", 1),
        ] {
            #expect { try PriceList(text) } throws: { ($0 as? PriceList.Fault)?.line == line }
        }
        #expect(throws: PriceList.Fault.self) {
            try PriceList(String(repeating: "\n", count: PriceList.maxLines + 1))
        }
    }

    @Test func `no number of tokens leaves the range of an amount`() throws {
        let list = try PriceList("m 10000 10000")
        for count in [Int.max, .min, 0, 1_000_000_000] {
            #expect(list.cost(of: "m", prompt: count, completion: count) >= .zero)
        }
    }
}
