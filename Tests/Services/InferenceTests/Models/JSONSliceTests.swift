import Foundation
import Testing

@testable import Inference

@Suite struct JSONSlices {
    @Test(arguments: ["{\"a\":\"x\u{1}\"}", "{\"a\u{0}\":1}", "{\"a\":1}{", "[1,]", "", "{\"a\":\"\n\"}"])
    func `a document that other readers refuse is refused`(text: String) {
        #expect(JSONSlice(whole: Data(text.utf8)) == nil)
    }

    @Test func `members and elements keep their bytes`() throws {
        let slice = try #require(JSONSlice(whole: Data(#" {"a": [1, "x\u00e9", {"b" : null}], "c":2} "#.utf8)))
        let elements = try #require(slice["a"]?.elements)
        #expect(elements.map { String(decoding: $0.bytes, as: UTF8.self) } == ["1", #""x\u00e9""#, #"{"b" : null}"#])
        #expect(elements[1].text == "xé")
        #expect(slice["d"] == nil)
    }
}
