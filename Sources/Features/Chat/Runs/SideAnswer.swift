import Inference

/// Collects the answer to a short request, up to a limit.
actor SideAnswer {
    private static let maxBytes = 32 << 10
    private(set) var text = ""
    private(set) var usage: ChatUsage?

    func take(_ event: ChatEvent) {
        switch event {
        case .text(let piece) where text.utf8.count + piece.utf8.count <= Self.maxBytes: text += piece
        case .usage(let usage): self.usage = usage
        default: break
        }
    }
}
