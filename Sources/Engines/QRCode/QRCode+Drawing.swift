extension QRCode {
    /// Modules of light border that readers need.
    package static let quietZone = 4

    /// The code as an SVG image: dark on white, sized by its container.
    package var svg: String {
        let side = size + 2 * Self.quietZone
        var path = ""
        for row in 0..<size {
            for column in 0..<size where self[column, row] {
                path += "M\(column + Self.quietZone) \(row + Self.quietZone)h1v1h-1z"
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
            <path fill="#fff" d="M0 0h\(side)v\(side)h-\(side)z"/><path fill="#000" d="\(path)"/></svg>
            """
    }

    /// The code as lines of half blocks, two rows of modules a line. Light modules are drawn, so the lines are for light
    /// text on a dark background.
    package var halfBlocks: [String] {
        let range = -Self.quietZone / 2..<size + Self.quietZone / 2
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            range.map { column in
                switch (self[column, row], self[column, row + 1]) {
                case (false, false): "█"
                case (false, true): "▀"
                case (true, false): "▄"
                case (true, true): " "
                }
            }.joined()
        }
    }
}
