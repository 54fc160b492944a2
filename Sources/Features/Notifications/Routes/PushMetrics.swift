import PushChannels
import PushRoom
import Schedules
package import Server

/// The metrics of notifications, sampled at each scrape.
package struct PushMetrics: Sendable {
    /// Deliveries of a lane that are counted; more than the outbox takes.
    private static let most = 10_000_000

    private let outbox: PushOutbox
    private let tally: OutboxTally
    private let hub: StreamHub

    package init(_ service: PushService) {
        (outbox, tally, hub) = (service.room.outbox, service.tally, service.hub)
    }

    /// Writes what waits, what was done and who reads. A database that cannot be read leaves out what waits.
    package func write(to text: inout PrometheusText) async {
        let kinds = PushChannelKind.allCases
        let lanes = try? await outbox.backlog(of: kinds.map(\.rawValue), upTo: Self.most)
        if let lanes {
            text.family("selene_push_waiting", .gauge, "Deliveries that wait or are being sent, by channel.")
            for lane in lanes { text.sample("selene_push_waiting", [("channel", lane.channel)], lane.waiting) }
            let now = PushTime.now.milliseconds
            text.family(
                "selene_push_overdue_seconds", .gauge,
                "Seconds since the first delivery that waits was due, by channel; 0 when none is due.")
            for lane in lanes {
                let late = lane.firstDue.map { max(0, now - $0) } ?? 0
                text.sample("selene_push_overdue_seconds", [("channel", lane.channel)], Double(late) / 1000)
            }
        }
        text.family(
            "selene_push_deliveries_total", .counter,
            "Attempts and decisions of this server by channel and result; failed ones were given up.")
        for kind in kinds {
            for result in OutboxTally.results {
                text.sample(
                    "selene_push_deliveries_total", [("channel", kind.rawValue), ("result", result)],
                    tally.count(of: kind, result))
            }
        }
        text.single("selene_push_streams", .gauge, "Open streams of notifications.", hub.count)
    }
}
