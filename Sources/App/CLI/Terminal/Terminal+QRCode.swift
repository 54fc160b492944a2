import QRCode

extension Terminal {
    /// Draws an address as a QR code, light modules as light blocks, in colours of its own if the terminal has any. An
    /// address that is too long draws nothing.
    static func draw(_ address: String) {
        guard let code = QRCode(address) else { return }
        for row in code.halfBlocks {
            let text = SafeText(row)
            line(hasColour ? text.styled("\u{1B}[97;40m", "\u{1B}[0m") : text)
        }
    }
}
