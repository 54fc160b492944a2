package import Access

extension KeyRing {
    /// Writes how many requests had a wrong key.
    package func write(to text: inout PrometheusText) {
        text.single(
            "selene_wrong_keys_total", .counter, "Requests with an invalid key.", wrongKeys.count.value)
        text.single(
            "selene_wrong_keys_refused_total", .counter, "Requests with an invalid key that got 429.",
            wrongKeys.refused.value)
    }
}

extension KeyConcurrencyLimiter {
    /// Writes the load of the share, under the name of what it limits.
    package func write(_ kind: String, to text: inout PrometheusText) {
        let load = load
        text.single("selene_\(kind)s_running", .gauge, "Running reads of the kind \(kind).", load.running)
        text.single("selene_\(kind)s_waiting", .gauge, "Waiting reads of the kind \(kind).", load.waiting)
        text.single(
            "selene_\(kind)s_refused_total", .counter,
            "Reads of the kind \(kind) refused because too many of one client waited.", refused.value)
    }
}
