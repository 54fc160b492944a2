import Foundation

/// A matrix in NumPy's `.npy` format, versions 1 to 3 (NumPy Enhancement Proposal 1).
struct NumPyArray {
    var rows: Int
    var columns: Int
    /// `rows * columns` numbers, row after row.
    var values: [Float]

    /// Reads a two-dimensional array of little-endian floats in C order. Doubles become floats.
    ///
    /// - Throws: `EvaluationError` that says what the file holds instead.
    init(contentsOf url: URL) throws {
        let data = try Data(reading: url)
        func refuse(_ message: String) -> EvaluationError { EvaluationError(at: url.path, message) }

        guard data.count >= 10, data.starts(with: Array("\u{93}NUMPY".unicodeScalars.map { UInt8($0.value) })) else {
            throw refuse("not a NumPy array (.npy)")
        }
        let version = data[data.startIndex + 6]
        guard (1...3).contains(version) else { throw refuse("version \(version) of the .npy format is unknown") }
        let lengthBytes = version == 1 ? 2 : 4
        guard data.count >= 8 + lengthBytes else { throw refuse("the file ends within its header") }
        let headerLength = data.dropFirst(8).prefix(lengthBytes).reversed().reduce(0) { $0 << 8 | Int($1) }
        let start = 8 + lengthBytes + headerLength
        guard data.count >= start,
            let text = String(validating: data.dropFirst(8 + lengthBytes).prefix(headerLength), as: UTF8.self)
        else { throw refuse("the file ends within its header, or the header is not text") }

        let header = Header(text)
        let size: Int
        switch header.type {
        case "<f4": size = 4
        case "<f8": size = 8
        case let type?: throw refuse("holds numbers of type \(type); only <f4 and <f8 are read")
        case nil: throw refuse("holds records or has no `descr`; only <f4 and <f8 are read")
        }
        guard header.isFortranOrder == false else { throw refuse("is in Fortran order; only C order is read") }
        guard let shape = header.shape else { throw refuse("has no usable `shape`") }
        guard shape.count == 2 else { throw refuse("has \(shape.count) dimensions, not 2") }
        (rows, columns) = (shape[0], shape[1])
        guard columns > 0 else { throw refuse("its rows are empty") }
        let (count, overflowsCount) = rows.multipliedReportingOverflow(by: columns)
        let (bytes, overflowsBytes) = count.multipliedReportingOverflow(by: size)
        guard !overflowsCount, !overflowsBytes, data.count - start == bytes else {
            throw refuse("has \(data.count - start) bytes of numbers, expected \(rows) rows of \(columns)")
        }

        values = data.dropFirst(start).withUnsafeBytes { buffer in
            size == 4
                ? (0..<count).map { Float(bitPattern: UInt32(littleEndian: Self.load(buffer, at: $0))) }
                : (0..<count).map { Float(Double(bitPattern: UInt64(littleEndian: Self.load(buffer, at: $0)))) }
        }
        if let index = values.firstIndex(where: { !$0.isFinite }) {
            throw refuse("row \(index / columns), column \(index % columns) (from 0) is not a finite float")
        }
    }

    private static func load<Word: FixedWidthInteger>(_ buffer: UnsafeRawBufferPointer, at index: Int) -> Word {
        buffer.loadUnaligned(fromByteOffset: index * MemoryLayout<Word>.size, as: Word.self)
    }
}

/// The Python dictionary at the start of a file: `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
private struct Header {
    var type: String?
    var isFortranOrder: Bool?
    var shape: [Int]?

    init(_ text: String) {
        if let value = Self.value(of: "descr", in: text), let quote = value.first, quote == "'" || quote == "\"" {
            type = value.dropFirst().prefix { $0 != quote }.description
        }
        if let value = Self.value(of: "fortran_order", in: text) {
            isFortranOrder = value.hasPrefix("True") ? true : value.hasPrefix("False") ? false : nil
        }
        if let value = Self.value(of: "shape", in: text), value.first == "(", let end = value.firstIndex(of: ")") {
            let sizes = value[..<end].dropFirst().split(separator: ",").map { String($0).trimmed }
                .filter { !$0.isEmpty }
            let numbers = sizes.compactMap { Int($0) }.filter { $0 >= 0 }
            shape = numbers.count == sizes.count ? numbers : nil
        }
    }

    /// The text after a key and its colon.
    private static func value(of key: String, in text: String) -> Substring? {
        for quote in ["'", "\""] {
            guard let range = text.range(of: quote + key + quote) else { continue }
            let rest = text[range.upperBound...].drop { $0 == " " }
            guard rest.first == ":" else { return nil }
            return rest.dropFirst().drop { $0 == " " }
        }
        return nil
    }
}
