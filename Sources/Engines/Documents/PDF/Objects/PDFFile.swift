import CQPDF

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A PDF file, opened by libqpdf. The only place with its pointers.
///
/// libqpdf finds, repairs and decrypts objects. Their text form is parsed here, streams are decoded by ``StreamDecoder``,
/// so that both are bounded. Not for concurrent use.
@safe final class PDFFile {
    private var handle: qpdf_data?
    private let memory: UnsafeMutablePointer<CChar>?
    /// How many bytes streams may still be unpacked to.
    private(set) var unpackedBytesLeft: Int
    /// libqpdf reported damage.
    private(set) var isDamaged = false
    private var countedStreams: Set<PDFReference> = []
    private var values: [PDFReference: PDFValue] = [:]
    /// The text form of the kept values.
    private var parsedBytes = 0
    private static let maxKeptBytes = 1 << 19
    /// A stream was cut by a limit.
    private(set) var isCut = false

    /// Opens a file with the empty password.
    ///
    /// - Throws: `encrypted`, `damaged`.
    init(path: String, limits: DocumentLimits) throws(DocumentError) {
        unsafe memory = nil
        unpackedBytesLeft = limits.unpackedBytes
        unsafe handle = unsafe qpdf_init()
        unsafe try open { handle in unsafe qpdf_read(handle, path, "") }
    }

    /// Opens a file in memory, which is copied.
    init(bytes: [UInt8], limits: DocumentLimits) throws(DocumentError) {
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: max(bytes.count, 1))
        unsafe bytes.withUnsafeBytes { source in
            unsafe UnsafeMutableRawPointer(copy).copyMemory(
                from: source.baseAddress ?? UnsafeRawPointer(copy), byteCount: bytes.count)
        }
        unsafe memory = unsafe copy
        unpackedBytesLeft = limits.unpackedBytes
        unsafe handle = unsafe qpdf_init()
        unsafe try open { handle in unsafe qpdf_read_memory(handle, "document", copy, UInt64(bytes.count), "") }
    }

    deinit {
        unsafe qpdf_cleanup(&handle)
        unsafe memory?.deallocate()
    }

    private func open(_ read: (qpdf_data?) -> QPDF_ERROR_CODE) throws(DocumentError) {
        unsafe qpdf_silence_errors(handle)
        unsafe qpdf_set_suppress_warnings(handle, 1)
        let status = unsafe read(handle)
        guard status & 2 != 0 else { return readWarnings() }
        let error = unsafe qpdf_get_error(handle)
        let code = unsafe error == nil ? qpdf_e_damaged_pdf : qpdf_get_error_code(handle, error)
        if code == qpdf_e_password || code == qpdf_e_unsupported {
            throw DocumentError(.encrypted, "The PDF needs a password. Save a copy without one and upload it.")
        }
        throw DocumentError(.damaged, "The file is not a PDF, or is damaged beyond repair.")
    }

    var root: PDFValue { unsafe parse(qpdf_get_root(handle)) }
    var trailer: PDFValue { unsafe parse(qpdf_get_trailer(handle)) }

    /// Returns an indirect object; null when it does not exist. Objects used last are kept.
    func value(_ reference: PDFReference) -> PDFValue {
        guard reference.id > 0 else { return .null }
        if let value = values[reference] { return value }
        let object = unsafe qpdf_get_object_by_id(handle, reference.id, reference.generation)
        let value = parse(object, reference)
        if parsedBytes > Self.maxKeptBytes {
            values.removeAll()
            parsedBytes = 0
        }
        values[reference] = value
        return value
    }

    /// Follows references, at most a few in a row.
    func resolve(_ value: PDFValue?) -> PDFValue {
        var value = value ?? .null
        for _ in 0..<16 {
            guard case .reference(let reference) = value else { return value }
            value = self.value(reference)
        }
        return .null
    }

    /// The decoded bytes of a stream, and the filters that are left undecoded, which are those of images. What is
    /// damaged or longer than the limits is cut.
    func data(_ stream: PDFValue?) -> (bytes: [UInt8], filters: [String]) {
        guard case .stream(let reference, let dictionary) = resolve(stream), let raw = rawData(reference) else {
            return ([], [])
        }
        var decoder = StreamDecoder(limit: min(unpackedBytesLeft, StreamDecoder.maxBytes))
        let result = decoder.decode(raw, dictionary, resolve: resolve)
        // A form that many pages use counts once.
        if countedStreams.insert(reference).inserted {
            unpackedBytesLeft = max(0, unpackedBytesLeft - result.bytes.count)
        }
        isCut = isCut || decoder.isCut
        return result
    }

    private func rawData(_ reference: PDFReference) -> [UInt8]? {
        let object = unsafe qpdf_get_object_by_id(handle, reference.id, reference.generation)
        defer { unsafe qpdf_oh_release(handle, object) }
        var buffer: UnsafeMutablePointer<UInt8>?
        var count = 0
        let status = unsafe qpdf_oh_get_stream_data(handle, object, qpdf_dl_none, nil, &buffer, &count)
        defer { unsafe free(buffer) }
        readWarnings()
        guard status & 2 == 0, let buffer = unsafe buffer else { return nil }
        return unsafe Array(UnsafeBufferPointer(start: buffer, count: count))
    }

    /// Reads an object by its text form and releases it.
    private func parse(_ object: qpdf_oh, _ reference: PDFReference? = nil) -> PDFValue {
        defer { unsafe qpdf_oh_release(handle, object) }
        if let reference, unsafe qpdf_oh_is_stream(handle, object) != 0 {
            let dictionary = unsafe qpdf_oh_get_dict(handle, object)
            return .stream(reference, parse(dictionary).dictionary ?? [:])
        }
        let text = unsafe qpdf_oh_unparse_resolved(handle, object)
        let count = unsafe qpdf_get_last_string_length(handle)
        readWarnings()
        guard let text = unsafe text, count > 0 else { return .null }
        parsedBytes += count
        let bytes = unsafe UnsafeRawBufferPointer(start: text, count: count)
        var parser = unsafe PDFObjectParser(Array(bytes))
        return parser.value() ?? .null
    }

    /// Empties libqpdf's lists, which grow otherwise.
    private func readWarnings() {
        while unsafe qpdf_more_warnings(handle) != 0 {
            let warning = unsafe qpdf_next_warning(handle)
            if unsafe warning != nil, unsafe qpdf_get_error_code(handle, warning) == qpdf_e_damaged_pdf {
                isDamaged = true
            }
        }
        if unsafe qpdf_has_error(handle) != 0 {
            unsafe _ = qpdf_get_error(handle)
            isDamaged = true
        }
    }
}
