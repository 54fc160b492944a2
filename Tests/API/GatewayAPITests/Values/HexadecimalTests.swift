import GatewayAPI
import Testing

struct HexadecimalTests {
    @Test func `bytes and their digits are turned into each other`() {
        let all = Array(UInt8.min...UInt8.max)
        let text = Hexadecimal.text(all)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(Hexadecimal.bytes(text) == all)
        #expect(Hexadecimal.bytes(text.uppercased()) == all)
        #expect(Hexadecimal.text([]).isEmpty && Hexadecimal.bytes("") == [])
    }

    @Test(arguments: ["0", "abc", "0g", "+f", " 0", "é", "0x"])
    func `anything else has no bytes`(text: String) {
        #expect(Hexadecimal.bytes(text) == nil)
    }
}
