/// A setting that is on or off.
package enum Switch: String, CaseIterable {
    case on, off
}
