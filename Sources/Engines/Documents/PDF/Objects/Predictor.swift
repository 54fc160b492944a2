/// Undoes the predictors of TIFF and PNG.
struct Predictor {
    private let isTIFF: Bool
    private let bytesPerPixel: Int
    private let rowBytes: Int

    /// Nil without a predictor, or with sizes that no stream has.
    init?(_ parameters: [String: PDFValue]) {
        let predictor = parameters["Predictor"]?.integer ?? 1
        let colors = parameters["Colors"]?.integer ?? 1
        let bits = parameters["BitsPerComponent"]?.integer ?? 8
        let columns = parameters["Columns"]?.integer ?? 1
        guard predictor > 1, (1...32).contains(colors), (1...16).contains(bits), (1...(1 << 20)).contains(columns)
        else {
            return nil
        }
        isTIFF = predictor == 2
        if isTIFF, bits != 8 { return nil }
        bytesPerPixel = max(1, colors * bits / 8)
        rowBytes = (colors * bits * columns + 7) / 8
    }

    func decode(_ bytes: [UInt8]) -> [UInt8] {
        isTIFF ? decodeTIFF(bytes) : decodePNG(bytes)
    }

    private func decodeTIFF(_ bytes: [UInt8]) -> [UInt8] {
        var output = bytes
        for index in output.indices where index % rowBytes >= bytesPerPixel {
            output[index] &+= output[index - bytesPerPixel]
        }
        return output
    }

    private func decodePNG(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var above = [UInt8](repeating: 0, count: rowBytes)
        var place = 0
        while place < bytes.count {
            let kind = bytes[place]
            var row = Array(bytes[min(place + 1, bytes.count)..<min(place + 1 + rowBytes, bytes.count)])
            place += 1 + rowBytes
            for index in row.indices {
                let left = index >= bytesPerPixel ? row[index - bytesPerPixel] : 0
                let corner = index >= bytesPerPixel ? above[index - bytesPerPixel] : 0
                switch kind {
                case 1: row[index] &+= left
                case 2: row[index] &+= above[index]
                case 3: row[index] &+= UInt8((Int(left) + Int(above[index])) / 2)
                case 4: row[index] &+= Self.paeth(Int(left), Int(above[index]), Int(corner))
                default: break
                }
            }
            output.append(contentsOf: row)
            above.replaceSubrange(0..<row.count, with: row)
        }
        return output
    }

    /// The neighbour that is nearest to left + above - corner.
    private static func paeth(_ left: Int, _ above: Int, _ corner: Int) -> UInt8 {
        let guess = left + above - corner
        let distances = (abs(guess - left), abs(guess - above), abs(guess - corner))
        if distances.0 <= distances.1, distances.0 <= distances.2 { return UInt8(left) }
        return UInt8(distances.1 <= distances.2 ? above : corner)
    }
}
