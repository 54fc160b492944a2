/// A setting that is on or off.
enum Switch: String, CaseIterable {
    case on, off
}
