import GatewayAPI
import Hummingbird
import Server
import Traffic

/// `GET /api/admin/traffic`: the last hour by the minute, or the last day by the quarter of an hour.
struct TrafficRoute: Sendable {
    let ring: TrafficRing

    func handle(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let span = try request.word("span", of: ["hour", "day"]) ?? "hour"
        return JSONReply.response(
            Self.response(span: span, minutes: ring.minutes(in:), now: WallClock.milliseconds / 60_000))
    }

    /// The point of the current minute as a topic of the console.
    var topic: LiveTopic {
        LiveTopic("traffic", .admin) {
            let minute = WallClock.milliseconds / 60_000
            return TrafficPoint(ring.minutes(in: minute...minute).first ?? TrafficMinute(minute: minute))
        }
    }

    /// The points of a span that ends with a minute.
    static func response(
        span: String, minutes: (ClosedRange<Int64>) -> [TrafficMinute], now: Int64
    ) -> TrafficResponse {
        let (count, length): (Int64, Int64) = span == "day" ? (96, 15) : (60, 1)
        // Points begin at full quarters of an hour, so that a point keeps its minutes from one look to the next.
        let first = (now / length - count + 1) * length
        var sums = (0..<count).map { TrafficMinute(minute: first + $0 * length) }
        for minute in minutes(first...now) {
            let place = Int((minute.minute - first) / length)
            if sums.indices.contains(place) { sums[place].add(minute) }
        }
        return TrafficResponse(span: span, secondsPerPoint: Int(length * 60), points: sums.map(TrafficPoint.init))
    }
}

extension TrafficPoint {
    fileprivate init(_ sum: TrafficMinute) {
        func mean(_ spans: TrafficMinute.Spans) -> Double? {
            spans.count > 0 ? (Double(spans.sum) / Double(spans.count)).rounded() / 1000 : nil
        }
        func longest(_ spans: TrafficMinute.Spans) -> Double? {
            spans.count > 0 ? Double(spans.longest) / 1000 : nil
        }
        let wasSeen = sum.residentBytes > 0
        self.init(
            at: Timestamp.iso8601(sum.minute &* 60), requests: sum.requests, failed: sum.failed,
            firstTokenMilliseconds: mean(sum.firstTokens),
            longestFirstTokenMilliseconds: longest(sum.firstTokens), queueMilliseconds: mean(sum.waits),
            longestQueueMilliseconds: longest(sum.waits), promptTokens: sum.promptTokens,
            generatedTokens: sum.generatedTokens, residentBytes: wasSeen ? sum.residentBytes : nil,
            inFlight: wasSeen ? sum.inFlight : nil)
    }
}
