extension AdmissionPriority {
    /// The word for metrics and replies.
    package var name: String {
        switch self {
        case .interactive: "interactive"
        case .batch: "batch"
        }
    }
}
