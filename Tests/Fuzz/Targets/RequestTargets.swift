import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

@testable import LLM
@testable import Server

/// Bytes of a connection as they come from a client: heads, framing, and who says to be asking.
enum RequestTargets {
    /// Requests mean the same in whatever pieces they come, and an accepted one means one thing to every server.
    static let heads: FuzzBody = { bytes in
        var input = Input(bytes)
        let seed = input.byte()
        let whole = read([input.rest])
        let cut = read(input.pieces(seed))
        promise(whole.map(\.head) == cut.map(\.head), "the pieces of a request change its head")
        promise(whole.map(\.body) == cut.map(\.body), "the pieces of a request change its body")
        for (head, body) in whole { check(head, body) }
    }

    /// A token of an `Authorization` header is what stands behind the scheme, or the password of Basic, and no other scheme
    /// has one.
    static let bearer: FuzzBody = { bytes in
        let header = String(decoding: bytes, as: UTF8.self)
        switch Credential(header: header) {
        case .token(let token):
            promise(!token.isEmpty, "\(header) has an empty token")
            promise(header.lowercased().contains("bearer"), "\(header) is of another scheme")
            promise(header.hasSuffix(token) || header.contains(token), "\(token) is not in \(header)")
            promise(token.utf8.first != 0x20 && token.utf8.last != 0x20, "\(token) begins or ends with a space")
            promise(Credential(header: "Bearer \(token)") == .token(token), "\(token) is read differently again")
        case .password(let password):
            promise(!password.isEmpty, "\(header) has an empty password")
            promise(header.lowercased().contains("basic"), "\(header) is of another scheme")
        case .path(let key):
            promise(!key.isEmpty && header.lowercased().contains("path"), "\(header) is of another scheme")
        case .signature: promise(false, "\(header) has no scheme")
        case nil: break
        }
    }

    private typealias Message = (head: HTTPRequest, body: [UInt8])

    /// The whole requests that the server's pipeline makes of these pieces, until the first that is refused.
    private static func read(_ pieces: [ArraySlice<UInt8>]) -> [Message] {
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        do {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)))
            try pipeline.addHandler(RequestFramingHandler())
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            for piece in pieces { try channel.writeInbound(ByteBuffer(bytes: piece)) }
        } catch {
            // Refused: what came before it counts.
        }
        var (messages, open) = ([Message](), Message?.none)
        while let part = try? channel.readInbound(as: HTTPRequestPart.self) {
            switch part {
            case .head(let head): open = (head, [])
            case .body(let bytes): open?.body += Array(bytes.readableBytesView)
            case .end:
                if let message = open { messages.append(message) }
                open = nil
            }
        }
        return messages
    }

    private static func check(_ head: HTTPRequest, _ body: [UInt8]) {
        let framing = RequestFraming(head.headerFields)
        if let length = framing.length {
            promise(length == body.count, "a body of \(body.count) bytes came with a length of \(length)")
            promise(head.headerFields[.transferEncoding] == nil, "a request has a length and chunks")
        }
        for field in head.headerFields {
            promise(!field.value.unicodeScalars.contains { $0 == "\r" || $0 == "\n" || $0 == "\0" }, "two lines in one")
        }
        let id = RequestIDMiddleware.id(of: head)
        promise((1...128).contains(id.utf8.count) && id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "the id \(id)")
        let path = head.path ?? "/"
        if let kind = ProxyPolicy.kind(of: path, method: head.method), kind == .inference || kind == .administration {
            promise(!path.contains(".."), "\(path) leads elsewhere")
        }
        if (try? LocalRequest.check(head)) != nil, let authority = head.authority {
            promise(Authority(authority)?.isLoopback == true, "\(authority) is not this machine")
        }
    }
}
