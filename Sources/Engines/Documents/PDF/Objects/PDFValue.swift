/// An object of a PDF file. Direct parts are held; indirect ones are references that ``PDFFile`` resolves.
enum PDFValue: Hashable {
    case null
    case bool(Bool)
    case number(Double)
    /// Without the slash. Each byte is a scalar below 256.
    case name(String)
    case string([UInt8])
    case array([PDFValue])
    case dictionary([String: PDFValue])
    /// The place and dictionary of a stream.
    case stream(PDFReference, [String: PDFValue])
    case reference(PDFReference)

    var number: Double? {
        if case .number(let value) = self { value } else { nil }
    }

    /// The number without its fraction, when it is within ±2³¹.
    var integer: Int? {
        guard let number, number > -2_147_483_649, number < 2_147_483_648 else { return nil }
        return Int(number)
    }

    var name: String? {
        if case .name(let value) = self { value } else { nil }
    }

    var string: [UInt8]? {
        if case .string(let value) = self { value } else { nil }
    }

    var array: [PDFValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// Also that of a stream.
    var dictionary: [String: PDFValue]? {
        switch self {
        case .dictionary(let value), .stream(_, let value): value
        default: nil
        }
    }

    var reference: PDFReference? {
        switch self {
        case .reference(let value), .stream(let value, _): value
        default: nil
        }
    }
}

/// The number of an indirect object.
struct PDFReference: Hashable {
    var id: Int32
    var generation: Int32
}
