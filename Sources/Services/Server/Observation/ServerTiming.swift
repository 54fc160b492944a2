package import HTTPTypes

/// Builds the headers that report the times of a response.
package struct ServerTiming {

    package init() {}
    package private(set) var text = ""

    /// Adds a duration under a name, which must be an HTTP token.
    package mutating func add(_ name: String, _ duration: Duration) {
        if !text.isEmpty { text += ", " }
        text += name
        text += ";dur="
        Self.appendMilliseconds(duration, to: &text)
    }

    /// Appends milliseconds with three decimals. It uses integers, because printing a `Double` costs more than the
    /// rest.
    static func appendMilliseconds(_ duration: Duration, to text: inout String) {
        let microseconds = max(0, duration.wholeNanoseconds / 1000)
        text += String(microseconds / 1000)
        let rest = microseconds % 1000
        if rest == 0 { return }
        text += rest < 10 ? ".00" : rest < 100 ? ".0" : "."
        text += String(rest)
    }
}

extension HTTPFields {
    /// Sets the headers about a request's wait in the queue for Ollama.
    ///
    /// - Parameters:
    ///   - position: 0 when it did not wait, 1 when it was the next on arrival.
    ///   - expected: How long it was expected to wait on arrival.
    package mutating func setQueue(position: Int, waited: Duration, expected: Duration) {
        append(HTTPField(name: .queuePosition, value: String(position)))
        var milliseconds = ""
        ServerTiming.appendMilliseconds(waited, to: &milliseconds)
        append(HTTPField(name: .queueWait, value: milliseconds))
        guard position > 0 else { return }
        // Seconds with two digits behind the point.
        let hundredths = Swift.max(0, expected.wholeNanoseconds / 10_000_000)
        let rest = hundredths % 100
        append(HTTPField(name: .expectedWait, value: "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"))
    }
}

// The names are literals and valid tokens, so unwrapping them cannot fail.
extension HTTPField.Name {
    /// The stages of a request with their times, as browsers show them.
    package static let serverTiming = HTTPField.Name("Server-Timing")!
    /// The request's position in the queue on arrival, itself included; 0 when it did not wait.
    static let queuePosition = HTTPField.Name("X-Queue-Position")!
    /// How long the request was expected to wait when it arrived, in seconds; only of one that waited.
    static let expectedWait = HTTPField.Name("X-Expected-Wait")!
    /// How long the request waited for its turn at Ollama, in milliseconds.
    static let queueWait = HTTPField.Name("X-Queue-Wait-Ms")!
}
