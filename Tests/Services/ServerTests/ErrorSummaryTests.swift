import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP2
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

    @Test(
        arguments: [
            NIOHTTP2Errors.streamClosed(streamID: 1, errorCode: .cancel), NIOHTTP2Errors.noSuchStream(streamID: 1),
            NIOHTTP2Errors.ioOnClosedConnection(), ChannelError.ioOnClosedChannel,
            IOError(errnoCode: ECONNRESET, reason: "read"), IOError(errnoCode: EPIPE, reason: "write"),
        ] as [any Error])
    func `a client that left is no failure of the gateway, so no error is logged`(error: any Error) {
        let described = GatewayError(describing: error, path: "/")
        #expect(described.status == .clientClosedRequest && described.code == .clientClosed, "\(described)")
    }

    @Test func `other faults of a connection are failures`() {
        for error in [IOError(errnoCode: EMFILE, reason: "accept"), ChannelError.connectPending] as [any Error] {
            #expect(GatewayError(describing: error, path: "/").status == .internalServerError)
        }
    }
}
