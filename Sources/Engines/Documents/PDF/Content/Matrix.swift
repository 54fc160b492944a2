/// An affine map: x' = a·x + c·y + tx, y' = b·x + d·y + ty.
struct Matrix {
    var a = 1.0
    var b = 0.0
    var c = 0.0
    var d = 1.0
    var tx = 0.0
    var ty = 0.0

    /// First this map, then another.
    func then(_ next: Matrix) -> Matrix {
        Matrix(
            a: a * next.a + b * next.c, b: a * next.b + b * next.d,
            c: c * next.a + d * next.c, d: c * next.b + d * next.d,
            tx: tx * next.a + ty * next.c + next.tx, ty: tx * next.b + ty * next.d + next.ty)
    }

    func apply(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        (a * x + c * y + tx, b * x + d * y + ty)
    }

    /// The smallest upright rectangle around a mapped one.
    func bounds(of rectangle: Rectangle) -> Rectangle {
        var bounds = Rectangle.empty
        for (x, y) in [
            (rectangle.minX, rectangle.minY), (rectangle.maxX, rectangle.minY),
            (rectangle.minX, rectangle.maxY), (rectangle.maxX, rectangle.maxY),
        ] {
            let point = apply(x, y)
            bounds.add(point.x, point.y)
        }
        return bounds
    }

    /// Six numbers of a file; nil when they are none.
    init?(_ value: PDFValue) {
        guard let items = value.array, items.count >= 6 else { return nil }
        let numbers = items.prefix(6).compactMap(\.number)
        guard numbers.count == 6 else { return nil }
        self.init(a: numbers[0], b: numbers[1], c: numbers[2], d: numbers[3], tx: numbers[4], ty: numbers[5])
    }

    init(a: Double = 1, b: Double = 0, c: Double = 0, d: Double = 1, tx: Double = 0, ty: Double = 0) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.tx = tx
        self.ty = ty
    }
}

/// An upright rectangle.
struct Rectangle: Hashable {
    var minX: Double
    var minY: Double
    var maxX: Double
    var maxY: Double

    static let empty = Rectangle(minX: .infinity, minY: .infinity, maxX: -.infinity, maxY: -.infinity)
    static let unit = Rectangle(minX: 0, minY: 0, maxX: 1, maxY: 1)

    var isEmpty: Bool { !(minX <= maxX && minY <= maxY) }
    var width: Double { isEmpty ? 0 : maxX - minX }
    var height: Double { isEmpty ? 0 : maxY - minY }
    var area: Double { width * height }

    mutating func add(_ x: Double, _ y: Double) {
        minX = min(minX, x)
        minY = min(minY, y)
        maxX = max(maxX, x)
        maxY = max(maxY, y)
    }

    func contains(_ x: Double, _ y: Double) -> Bool {
        x >= minX && x <= maxX && y >= minY && y <= maxY
    }

    func intersection(_ other: Rectangle) -> Rectangle {
        Rectangle(
            minX: max(minX, other.minX), minY: max(minY, other.minY), maxX: min(maxX, other.maxX),
            maxY: min(maxY, other.maxY))
    }

    /// Two corners in any order; nil when they are no numbers.
    init?(_ value: PDFValue) {
        guard let items = value.array, items.count >= 4 else { return nil }
        let numbers = items.prefix(4).compactMap(\.number)
        guard numbers.count == 4 else { return nil }
        self = .empty
        add(numbers[0], numbers[1])
        add(numbers[2], numbers[3])
    }

    init(minX: Double, minY: Double, maxX: Double, maxY: Double) {
        self.minX = minX
        self.minY = minY
        self.maxX = maxX
        self.maxY = maxY
    }
}
