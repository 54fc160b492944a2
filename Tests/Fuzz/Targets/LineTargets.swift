import Foundation
import GatewayAPI
import NIOCore

@testable import Access
@testable import Gateway
@testable import GatewayClient
@testable import Inference
@testable import LLM
@testable import Search
@testable import Server
@testable import Transport

/// NDJSON and server-sent events: bytes cut into lines.
enum LineTargets {
    /// However the bytes are cut, the same lines come out, and no byte is lost.
    static let lines: FuzzBody = { bytes in
        var input = Input(bytes)
        let (seed, limit) = (input.byte(), Int(input.byte()) * 4 + 1)
        let (pieces, whole) = (input.pieces(seed), Array(input.rest))

        var framer = LineFramer(maxLineBytes: limit)
        var framed: [UInt8] = []
        var isTooLong = false
        for piece in pieces {
            do throws(UpstreamError) {
                guard let lines = try framer.push(ByteBuffer(bytes: piece)) else { continue }
                promise(lines.readableBytesView.last == UInt8(ascii: "\n"), "a line's end is missing")
                framed += lines.readableBytesView
            } catch {
                isTooLong = true
                break
            }
        }
        let lengths = whole.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(\.count)
        let longest = lengths.max() ?? 0
        promise(isTooLong == (longest > limit), "limit \(limit), longest \(longest)")
        if !isTooLong { promise(framed + framer.remainder.readableBytesView == whole, "framed lines differ") }

        var hold = LineFramer(maxLineBytes: limit, overflow: .passes)
        var held: [UInt8] = []
        for piece in pieces {
            if let passed = try? hold.push(ByteBuffer(bytes: piece)) { held += passed.readableBytesView }
            promise(whole.starts(with: held), "held bytes differ")
            if !held.isEmpty { promise(hold.endsWithLine == (held.last == UInt8(ascii: "\n")), "half a line") }
        }
        held += hold.remainder.readableBytesView
        promise(held == whole, "held bytes are lost")

        var buffer = LineBuffer(maxBytes: 1 << 20)
        var read: [[UInt8]] = []
        for piece in pieces {
            do { try buffer.append(Data(piece)) } catch { promise(false, "\(error)") }
            while let line = buffer.next() { read.append(Array(line)) }
        }
        let expected = whole.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
        promise(read == expected.map(Array.init), "lines read differ")

        var (cut, uncut) = (EventBuffer(maxBytes: 1 << 20), EventBuffer(maxBytes: 1 << 20))
        var events: [ServerSentEvent] = []
        for piece in pieces {
            do { try cut.append(Data(piece)) } catch { promise(false, "\(error)") }
            while let event = cut.next() { events.append(event) }
        }
        do { try uncut.append(Data(whole)) } catch { promise(false, "\(error)") }
        for event in events {
            let other = uncut.next()
            promise(other == event, "events read differ")
            _ = try? ChatRunEvent(id: event.id, name: event.name, json: event.data)
        }
        let more = uncut.next()
        promise(more == nil, "an event is missing")
    }
}
