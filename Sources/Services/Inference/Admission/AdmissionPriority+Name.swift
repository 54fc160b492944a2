extension AdmissionPriority {
    /// The priority's name in metrics and replies.
    package var name: String {
        switch self {
        case .preferred: "preferred"
        case .interactive: "interactive"
        case .batch: "batch"
        }
    }
}
