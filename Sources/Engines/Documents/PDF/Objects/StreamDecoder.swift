/// Decodes the filters of a stream, within a limit of bytes. Damaged data gives what was decoded before the damage.
struct StreamDecoder {
    /// The longest decoded stream.
    static let maxBytes = 64 << 20
    private static let maxFilters = 8

    let limit: Int
    private(set) var isCut = false

    init(limit: Int) {
        self.limit = limit
    }

    /// - Returns: The bytes, and the filters from the first one that is not decoded here, such as `DCTDecode`.
    mutating func decode(
        _ raw: [UInt8], _ dictionary: [String: PDFValue], resolve: (PDFValue?) -> PDFValue
    ) -> (bytes: [UInt8], filters: [String]) {
        let filters = Self.list(resolve(dictionary["Filter"] ?? dictionary["F"])).map { resolve($0).name ?? "" }
        let parameters = Self.list(resolve(dictionary["DecodeParms"] ?? dictionary["DP"])).map {
            resolve($0).dictionary?.mapValues(resolve) ?? [:]
        }
        var bytes = raw
        for (index, filter) in filters.enumerated() {
            guard index < Self.maxFilters else { return ([], []) }
            let parameters = index < parameters.count ? parameters[index] : [:]
            switch filter {
            case "FlateDecode", "Fl":
                bytes = predicted(cut(Inflate.decode(bytes, limit: limit)), parameters)
            case "LZWDecode", "LZW":
                let early = parameters["EarlyChange"]?.integer ?? 1
                bytes = predicted(cut(LZW.decode(bytes, earlyChange: early != 0, limit: limit)), parameters)
            case "ASCII85Decode", "A85": bytes = ASCIIFilters.decode85(bytes)
            case "ASCIIHexDecode", "AHx": bytes = ASCIIFilters.decodeHex(bytes)
            case "RunLengthDecode", "RL": bytes = cut(Self.runLength(bytes, limit: limit))
            case "Crypt": continue
            default: return (bytes, Array(filters[index...]))
            }
        }
        return (bytes, [])
    }

    private static func list(_ value: PDFValue) -> [PDFValue] {
        if value == .null { return [] }
        return value.array ?? [value]
    }

    private mutating func cut(_ result: (bytes: [UInt8], isCut: Bool)) -> [UInt8] {
        isCut = isCut || result.isCut
        return result.bytes
    }

    private func predicted(_ bytes: [UInt8], _ parameters: [String: PDFValue]) -> [UInt8] {
        Predictor(parameters)?.decode(bytes) ?? bytes
    }

    private static func runLength(_ data: [UInt8], limit: Int) -> (bytes: [UInt8], isCut: Bool) {
        var output: [UInt8] = []
        var place = 0
        while place < data.count, output.count <= limit {
            let length = Int(data[place])
            place += 1
            if length < 128 {
                let end = min(place + length + 1, data.count)
                output.append(contentsOf: data[place..<end])
                place = end
            } else if length > 128, place < data.count {
                output.append(contentsOf: repeatElement(data[place], count: 257 - length))
                place += 1
            } else {
                break
            }
        }
        return output.count > limit ? (Array(output[..<limit]), true) : (output, false)
    }
}
