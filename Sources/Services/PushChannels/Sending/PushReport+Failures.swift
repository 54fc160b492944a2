import Push
import Transport

extension PushReport {
    /// An attempt with a target of another kind, or with a message that does not fit.
    static func refused(_ error: PushFieldError) -> PushReport {
        PushReport(PushOutcome(.refused, "not sent: \(error)"))
    }

    /// An attempt whose target belongs to another channel.
    static func misdirected(to kind: PushChannelKind) -> PushReport {
        PushReport(PushOutcome(.misconfigured, "not sent: \(PushFieldError.foreign(to: kind))"))
    }

    /// An attempt that a failure of this machine ended before it was sent.
    static func failed(_ what: String, _ error: any Error) -> PushReport {
        PushReport(PushOutcome(.retry(after: nil), "not sent: \(what) failed: \(error)"))
    }

    /// The report with the time since the begin of the attempt.
    func taking(_ duration: Duration) -> PushReport {
        var report = self
        let (seconds, fraction) = duration.components
        report.milliseconds = max(0, seconds * 1000 + fraction / 1_000_000_000_000_000)
        return report
    }
}

extension PushFieldError {
    /// The error of a target that came to a channel of another kind.
    static func foreign(to kind: PushChannelKind) -> PushFieldError {
        PushFieldError("target", "expected one of \(kind.rawValue)")
    }
}
