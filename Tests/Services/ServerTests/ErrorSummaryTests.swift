import Testing

@testable import Server

/// What the log says of errors that are not the gateway's own.
@Suite struct ErrorSummaries {
    private struct Odd: Error { var secret = "the prompt" }
    private struct Sample: Encodable {
        struct Inner: Encodable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(
                    "the prompt", .init(codingPath: encoder.codingPath, debugDescription: "the prompt"))
            }
        }
        var format = ["the prompt": Inner()]
    }

    @Test func `an error's text may quote what was sent, so only its type and place are told`() {
        #expect(ErrorSummary.text(of: Odd()).hasSuffix("Odd"))
        let error = #expect(throws: EncodingError.self) { try JSONReply.data(Sample()) }
        let text = error.map { ErrorSummary.text(of: $0) } ?? ""
        #expect(text == "EncodingError at format.…")
        #expect(ErrorSummary.text(of: GatewayError.field("x", "why")).contains("why"))
    }
}
