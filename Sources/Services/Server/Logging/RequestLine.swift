import HTTPTypes

/// Writes the log line of a request directly into a buffer, without a metadata dictionary or intermediate strings.
///
/// The line looks like one of a logger: facts sorted by name.
package struct RequestLine {
    let outcome: RequestOutcome
    let id: String
    let format: LogFormat

    /// Appends the line with its end.
    func append(to line: inout [UInt8], clock: inout LogClock) {
        switch format {
        case .text:
            clock.append(to: &line)
            line.append(text: " info selene:")
        case .json:
            line.append(text: "{\"time\":\"")
            clock.append(to: &line)
            line.append(text: "\",\"level\":\"info\",\"message\":\"request\",\"source\":\"Gateway\"")
        }
        appendFacts(to: &line)
        line.append(text: format == .text ? " [Gateway] request\n" : "}\n")
    }

    private func appendFacts(to line: inout [UInt8]) {
        if outcome.isBroken { append("broken", true, to: &line) }
        append("bytes", outcome.responseBytes, to: &line)
        if outcome.isCancelled { append("cancelled", true, to: &line) }
        if outcome.isHTTP2 { append("http", 2, to: &line) }
        if let key = outcome.key { append("key", key, to: &line) }
        append("method", outcome.method.rawValue, to: &line)
        if let model = outcome.model { append("model", model, to: &line) }
        append("ms", outcome.total, to: &line)
        append("path", outcome.path, to: &line)
        // A completed request needs no phase.
        if outcome.phase != .done { append("phase", outcome.phase.rawValue, to: &line) }
        if let queued = outcome.queued, queued > .milliseconds(1) { append("queue_ms", queued, to: &line) }
        append("request_id", id, to: &line)
        append("route", outcome.route, to: &line)
        append("status", outcome.status, to: &line)
        if let tokens = outcome.generatedTokens { append("tokens", tokens, to: &line) }
        if let upstream = outcome.upstream { append("upstream", upstream, to: &line) }
    }

    private func append(_ key: StaticString, to line: inout [UInt8]) {
        switch format {
        case .text:
            line.append(UInt8(ascii: " "))
            line.append(text: key)
            line.append(UInt8(ascii: "="))
        case .json:
            line.append(text: ",\"")
            line.append(text: key)
            line.append(text: "\":")
        }
    }

    private func append(_ key: StaticString, _ value: String, to line: inout [UInt8]) {
        append(key, to: &line)
        switch format {
        case .text: LogLine.appendField(value, to: &line)
        case .json: LogLine.appendString(value, to: &line)
        }
    }

    private func append(_ key: StaticString, _ value: Int, to line: inout [UInt8]) {
        append(key, to: &line)
        line.append(decimal: value)
    }

    private func append(_ key: StaticString, _ value: Bool, to line: inout [UInt8]) {
        append(key, to: &line)
        line.append(text: value ? "true" : "false")
    }

    /// Appends milliseconds with up to three decimals.
    private func append(_ key: StaticString, _ value: Duration, to line: inout [UInt8]) {
        append(key, to: &line)
        line.append(milliseconds: value)
    }
}

extension [UInt8] {
    /// Appends a literal.
    package mutating func append(text: StaticString) {
        text.withUTF8Buffer { unsafe append(contentsOf: $0) }
    }

    package mutating func append(decimal number: Int) {
        if number < 0 { append(UInt8(ascii: "-")) }
        var rest = number.magnitude
        let start = count
        repeat {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        self[start...].reverse()
    }

    /// Appends a number with a fixed count of digits, at least 1, padded with zeros.
    package mutating func append(digits: Int, of number: Int) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
    }

    /// Appends milliseconds, with three decimals unless they are whole. Negative durations count as zero.
    package mutating func append(milliseconds duration: Duration) {
        let microseconds = Swift.max(0, duration.wholeNanoseconds / 1000)
        append(decimal: microseconds / 1000)
        guard microseconds % 1000 != 0 else { return }
        append(UInt8(ascii: "."))
        append(digits: 3, of: microseconds % 1000)
    }
}
