/// What the gateway did in one minute.
package struct TrafficMinute: Sendable, Hashable {
    /// The number of minutes that are kept: a day.
    package static let kept = 1440

    /// The minute, in minutes since 1970.
    package var minute: Int64
    /// Finished requests.
    package var requests = 0
    /// Those with a status of 500 or more.
    package var failed = 0
    /// First tokens: how many, the sum of their times and the longest, in microseconds.
    package var firstTokens = Spans()
    /// Waits for a place at the upstream.
    package var waits = Spans()
    /// Tokens that models read.
    package var promptTokens = 0
    /// Tokens that models wrote.
    package var generatedTokens = 0
    /// The largest memory seen, in bytes; 0 when nobody looked.
    package var residentBytes = 0
    /// The most requests seen in flight.
    package var inFlight = 0

    /// Times of one kind.
    package struct Spans: Sendable, Hashable {
        package var count = 0
        /// In microseconds.
        package var sum: Int64 = 0
        /// In microseconds.
        package var longest: Int64 = 0

        package init(count: Int = 0, sum: Int64 = 0, longest: Int64 = 0) {
            (self.count, self.sum, self.longest) = (count, sum, longest)
        }

        /// Adds one time, in microseconds.
        package mutating func add(_ microseconds: Int64) {
            count &+= 1
            sum = sum.addingReportingOverflow(max(0, microseconds)).partialValue
            longest = max(longest, microseconds)
        }

        /// Adds the times of another minute.
        package mutating func add(_ other: Spans) {
            count &+= other.count
            sum = sum &+ other.sum
            longest = max(longest, other.longest)
        }
    }

    package init(minute: Int64) { self.minute = minute }

    /// Adds the figures of another minute; the minute itself stays.
    package mutating func add(_ other: TrafficMinute) {
        requests &+= other.requests
        failed &+= other.failed
        firstTokens.add(other.firstTokens)
        waits.add(other.waits)
        promptTokens &+= other.promptTokens
        generatedTokens &+= other.generatedTokens
        residentBytes = max(residentBytes, other.residentBytes)
        inFlight = max(inFlight, other.inFlight)
    }
}
