import CCurl
import NIOCore

/// The handles whose consumers have something to be woken for, in this turn of the loop. Confined to the loop thread.
final class ReadyList {
    var handles: [CurlEasy] = []
}

/// One libcurl easy handle with the transfer that it carries. Confined to the loop thread.
///
/// libcurl's callbacks get an unretained pointer to this object. The loop keeps the object in its table from before the
/// handle is added to the multi handle until after it is removed, so the pointer is good whenever libcurl uses it.
@safe final class CurlEasy {
    let handle: OpaquePointer
    private(set) var transfer: Transfer?
    /// When the transfer fails for lack of progress; nil while the consumer holds it back.
    var deadline: ContinuousClock.Instant?
    /// Whether the handle is in ``ready`` already.
    var isReady = false
    private let ready: ReadyList

    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var body: UnsafeMutableRawBufferPointer?
    private var status = 0
    private var headers: [(name: String, value: String)] = []

    /// Opens a handle; nil when memory is short.
    init?(ready: ReadyList) {
        guard let handle = unsafe curl_easy_init() else { return nil }
        unsafe self.handle = OpaquePointer(handle)
        self.ready = ready
    }

    deinit {
        release()
        unsafe curl_easy_cleanup(pointer)
    }

    /// The handle as a key.
    var identity: UInt { unsafe UInt(bitPattern: handle) }

    var pointer: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(handle) }

    /// Sets the handle up for a transfer.
    func prepare(_ transfer: Transfer, configuration: UpstreamConfiguration) {
        self.transfer = transfer
        let request = transfer.request
        set(CURLOPT_URL, configuration.baseURL + request.path)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_PROXY, "")
        set(CURLOPT_USERAGENT, "selene-gateway")
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_TCP_NODELAY, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, configuration.connectTimeout.wholeMilliseconds))
        set(CURLOPT_BUFFERSIZE, 64 << 10)
        set(CURLOPT_CUSTOMREQUEST, request.method)
        if request.method == "HEAD" { set(CURLOPT_NOBODY, 1) }
        setBody(request.body)
        setHeaders(request.headers)
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe selene_easy_set_write(pointer, CURLOPT_HEADERFUNCTION, receiveHeader)
        unsafe selene_easy_set_pointer(pointer, CURLOPT_HEADERDATA, context)
        unsafe selene_easy_set_write(pointer, CURLOPT_WRITEFUNCTION, receiveBody)
        unsafe selene_easy_set_pointer(pointer, CURLOPT_WRITEDATA, context)
    }

    /// Frees what the transfer needed and makes the handle ready for another.
    func release() {
        unsafe curl_easy_reset(pointer)
        unsafe curl_slist_free_all(headerList)
        unsafe headerList = nil
        unsafe body?.deallocate()
        unsafe body = nil
        transfer = nil
        deadline = nil
        isReady = false
        status = 0
        headers = []
    }

    /// One header line: a status line begins a head, an empty line ends it. Trailers are dropped.
    func receiveHeaderLine(_ line: String) {
        guard let transfer, !transfer.hasHead else { return }
        if line.hasPrefix("HTTP/") {
            status = line.split(separator: " ", maxSplits: 2).dropFirst().first.flatMap { Int($0) } ?? 0
            headers = []
        } else if line.isEmpty {
            // An interim response (100 Continue) is followed by the real one.
            guard status >= 200 else { return }
            transfer.receive(UpstreamResponseHead(status: status, headers: headers))
            markReady()
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            headers.append((String(line[..<colon]), String(value)))
        }
    }

    /// Notes that the consumer has something to be woken for.
    func markReady() {
        guard !isReady else { return }
        isReady = true
        ready.handles.append(self)
    }

    private func setBody(_ buffer: ByteBuffer?) {
        guard let buffer else {
            if transfer?.request.method == "POST" { set(CURLOPT_COPYPOSTFIELDS, "") }
            return
        }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, buffer.readableBytes), alignment: 1)
        unsafe buffer.withUnsafeReadableBytes { unsafe copy.copyMemory(from: $0) }
        unsafe body = copy
        unsafe selene_easy_set_offset(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(buffer.readableBytes))
        unsafe selene_easy_set_pointer(pointer, CURLOPT_POSTFIELDS, copy.baseAddress)
    }

    private func setHeaders(_ headers: [(name: String, value: String)]) {
        // An empty "Expect:" keeps libcurl from waiting for a "100 Continue" before larger bodies.
        var lines = ["Expect:"]
        for (name, value) in headers { lines.append(value.isEmpty ? "\(name);" : "\(name): \(value)") }
        for line in lines where !line.utf8.contains(where: { $0 == 10 || $0 == 13 || $0 == 0 }) {
            unsafe headerList = curl_slist_append(headerList, line)
        }
        unsafe selene_easy_set_list(pointer, CURLOPT_HTTPHEADER, headerList)
    }

    private func set(_ option: CURLoption, _ value: Int) {
        unsafe selene_easy_set_long(pointer, option, value)
    }

    private func set(_ option: CURLoption, _ value: String) {
        unsafe selene_easy_set_string(pointer, option, value)
    }
}

private func receiveHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = unsafe context, let bytes = unsafe bytes else { return 0 }
    let easy = unsafe Unmanaged<CurlEasy>.fromOpaque(context).takeUnretainedValue()
    var line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    while let last = unsafe line.last, last == 10 || last == 13 {
        unsafe line = UnsafeRawBufferPointer(rebasing: line.dropLast())
    }
    easy.receiveHeaderLine(unsafe String(decoding: line, as: UTF8.self))
    return size * count
}

private func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = unsafe context, let bytes = unsafe bytes else { return 0 }
    let easy = unsafe Unmanaged<CurlEasy>.fromOpaque(context).takeUnretainedValue()
    guard let transfer = easy.transfer else { return 0 }
    switch unsafe transfer.receive(UnsafeRawBufferPointer(start: bytes, count: size * count)) {
    case .taken:
        easy.markReady()
        return size * count
    case .pause:
        easy.deadline = nil
        return Int(CURL_WRITEFUNC_PAUSE)
    case .abort:
        return 0
    }
}

extension Duration {
    /// Whole milliseconds, rounded up.
    var wholeMilliseconds: Int {
        Int(components.seconds) * 1000 + Int((components.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
