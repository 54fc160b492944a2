/// The operators of content streams that text depends on; the raw value is the name's bytes.
enum ContentOperator: UInt32 {
    case save = 0x71  // q
    case restore = 0x51  // Q
    case concatenate = 0x636D  // cm
    case setState = 0x6773  // gs

    case beginText = 0x4254  // BT
    case endText = 0x4554  // ET
    case setCharacterSpacing = 0x5463  // Tc
    case setWordSpacing = 0x5477  // Tw
    case setHorizontalScale = 0x547A  // Tz
    case setLeading = 0x544C  // TL
    case setFont = 0x5466  // Tf
    case setRenderMode = 0x5472  // Tr
    case setRise = 0x5473  // Ts
    case move = 0x5464  // Td
    case moveSetLeading = 0x5444  // TD
    case setTextMatrix = 0x546D  // Tm
    case nextLine = 0x542A  // T*
    case show = 0x546A  // Tj
    case showArray = 0x544A  // TJ
    case nextLineShow = 0x27  // '
    case nextLineSpaceShow = 0x22  // "

    case paintObject = 0x446F  // Do
    case beginImage = 0x4249  // BI
    case shade = 0x7368  // sh

    case fillGray = 0x67  // g
    case fillRGB = 0x7267  // rg
    case fillCMYK = 0x6B  // k
    case fillSpace = 0x6373  // cs
    case fillColor = 0x7363  // sc
    case fillColorNamed = 0x7363_6E  // scn

    case moveTo = 0x6D  // m
    case lineTo = 0x6C  // l
    case curve = 0x63  // c
    case curveFirst = 0x76  // v
    case curveLast = 0x79  // y
    case rectangle = 0x7265  // re
    case clip = 0x57  // W
    case clipEvenOdd = 0x572A  // W*
    case endPath = 0x6E  // n
    case stroke = 0x53  // S
    case closeStroke = 0x73  // s
    case fill = 0x66  // f
    case fillOld = 0x46  // F
    case fillEvenOdd = 0x662A  // f*
    case fillStroke = 0x42  // B
    case fillStrokeEvenOdd = 0x422A  // B*
    case closeFillStroke = 0x62  // b
    case closeFillStrokeEvenOdd = 0x622A  // b*

    case beginMarked = 0x424D_43  // BMC
    case beginMarkedList = 0x4244_43  // BDC
    case endMarked = 0x454D_43  // EMC

    /// It does not end an array in which it stands.
    var isAllowedInArray: Bool {
        switch self {
        case .setCharacterSpacing, .setWordSpacing, .setHorizontalScale, .setRise: true
        default: false
        }
    }

    /// Nil for other operators.
    init?(_ name: ArraySlice<UInt8>) {
        guard name.count <= 3 else { return nil }
        var value: UInt32 = 0
        for byte in name { value = value << 8 | UInt32(byte) }
        self.init(rawValue: value)
    }
}
