import Foundation
import Push
import PushChannels
import PushRoom
import Storage
import TestSupport
import Testing

@testable import Notifications

/// Several servers on one file.
@Suite struct SeveralServers {
    @Test func `two servers send what either of them stored, each delivery once`() async throws {
        try await PushStand.with { stand in
            try await stand.device("one")
            try await stand.device("two")
            let second = try GatewayDatabase(path: stand.folder.appending(path: "notes.sqlite").path)
            let other = try PushStand.service(second, stand.channel)
            try await stand.running([OutboxWorker(stand.service), OutboxWorker(other)]) {
                var ids: Set<String> = []
                for number in 0..<150 {
                    let service = number.isMultiple(of: 2) ? stand.service : other
                    let stored = try await service.sending.submit(stand.order("\(number)"))
                    ids.formUnion(stored.deliveries.map(\.delivery.uuid))
                }
                try await waitUntil { try await stand.database.push.outbox.openCount(upTo: 1) == 0 }
                #expect(ids.count == 300 && Set(stand.channel.attempts.map(\.id)) == ids)
                #expect(stand.channel.attempts.count == ids.count, "none was sent twice")
            }
            try second.close()
        }
    }

    @Test func `a request of the same name is one message on both servers`() async throws {
        try await PushStand.with { stand in
            try await stand.device()
            let second = try GatewayDatabase(path: stand.folder.appending(path: "notes.sqlite").path)
            let other = try PushStand.service(second, stand.channel)
            var order = stand.order("tide")
            order.request = PushRequestName(caller: "key", name: "key 1", hash: Data([1]))
            async let one = stand.service.sending.submit(order)
            async let two = other.sending.submit(order)
            let (first, last) = try await (one, two)
            #expect(first.message.uuid == last.message.uuid && first.isKnown != last.isKnown)
            try second.close()
        }
    }
}
