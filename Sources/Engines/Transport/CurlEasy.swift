import CCurl
import Machine
import NIOCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The handles whose consumers must be woken in this turn of the loop. Confined to the turn.
final class ReadyList {
    var handles: [CurlEasy] = []
}

/// One libcurl easy handle with its transfer. Confined to the turn.
///
/// libcurl's callbacks get an unretained pointer to this object. The pointer is valid whenever libcurl uses it. The
/// loop puts the object into its table before it adds the handle to the multi handle, and removes the object after the
/// handle.
@safe final class CurlEasy {
    /// Bytes of one read from a socket. libcurl allocates them for each transfer: 500 streams at once hold 4 MB.
    static let readSize = 8 << 10
    /// The same for responses in small pieces.
    static let smallReadSize = 4 << 10

    let handle: OpaquePointer
    private(set) var transfer: Transfer?
    /// When the transfer fails for lack of progress; nil while the consumer holds it back.
    var deadline: ContinuousClock.Instant?
    /// Whether ``ready`` has the handle already.
    var isReady = false
    private let ready: ReadyList
    private let pathPrefix: String
    private let peer: String
    private let baseURL: String
    /// The scheme, host and port that the handle is set to; nil for ``baseURL``.
    private var origin: String?
    private let connectsToPublicAddressesOnly: Bool
    /// The connection of HTTP/2; nil for HTTP/1.1.
    private let connection: StreamConnection?

    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var body: UnsafeMutableRawBufferPointer?
    private var headers: [(name: String, value: String)] = []
    private var headerBytes = 0

    /// Opens a handle; nil when memory is short.
    init?(ready: ReadyList, connection: StreamConnection?, configuration: UpstreamConfiguration) {
        guard let handle = unsafe curl_easy_init() else { return nil }
        unsafe self.handle = OpaquePointer(handle)
        self.ready = ready
        self.connection = connection
        baseURL = configuration.baseURL
        connectsToPublicAddressesOnly = configuration.connectsToPublicAddressesOnly
        pathPrefix = configuration.pathPrefix
        peer = configuration.peer
        setUp(configuration)
    }

    deinit {
        release()
        unsafe curl_easy_cleanup(pointer)
    }

    /// The handle as a key.
    var identity: UInt { unsafe UInt(bitPattern: handle) }

    var pointer: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(handle) }

    /// Sets the options that are the same for every transfer and stay for the handle's life.
    private func setUp(_ configuration: UpstreamConfiguration) {
        set(CURLOPT_URL, configuration.baseURL)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_PROXY, "")
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_TCP_NODELAY, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, configuration.connectTimeout.wholeMilliseconds))
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe selene_easy_set_write(pointer, CURLOPT_HEADERFUNCTION, receiveHeader)
        unsafe selene_easy_set_pointer(pointer, CURLOPT_HEADERDATA, context)
        unsafe selene_easy_set_write(pointer, CURLOPT_WRITEFUNCTION, receiveBody)
        unsafe selene_easy_set_pointer(pointer, CURLOPT_WRITEDATA, context)
        unsafe selene_easy_set_read(pointer, CURLOPT_READFUNCTION, sendBody)
        unsafe selene_easy_set_pointer(pointer, CURLOPT_READDATA, context)
        if let authorities = configuration.authorities { set(CURLOPT_CAINFO, authorities) }
        if configuration.connectsToPublicAddressesOnly || connection != nil {
            unsafe selene_easy_set_socket(pointer, CURLOPT_OPENSOCKETFUNCTION, openSocket)
            unsafe selene_easy_set_pointer(pointer, CURLOPT_OPENSOCKETDATA, context)
        }
        guard connection != nil else {
            set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
            return
        }
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        set(CURLOPT_PIPEWAIT, 1)
        set(CURLOPT_MAXAGE_CONN, Self.connectionAge)
        set(CURLOPT_DNS_CACHE_TIMEOUT, 0)
    }

    /// Seconds without a request after which a connection of HTTP/2 is not used again.
    static let connectionAge = 3600

    /// Whether libcurl may open a socket to an address for the transfer.
    fileprivate func mayConnect(isPublic: Bool) -> Bool {
        guard !connectsToPublicAddressesOnly || isPublic else {
            refusePrivateAddress()
            return false
        }
        connection?.gate.connectionOpens(for: identity)
        return true
    }

    /// Fails the transfer because its host has an address that must not be connected to.
    func refusePrivateAddress() {
        transfer?.end(
            .failed(UpstreamError(.privateAddress, "\(peer) is in a private network or on this machine")))
        markReady()
    }

    /// Prepares the handle for a transfer. Sets every option that another transfer may have changed.
    func prepare(_ transfer: Transfer) {
        self.transfer = transfer
        let request = transfer.request
        if request.origin != origin {
            origin = request.origin
            set(CURLOPT_URL, origin ?? baseURL)
        }
        // The target is sent unchanged: libcurl would resolve dots and cut fragments in a URL.
        set(CURLOPT_REQUEST_TARGET, origin == nil ? pathPrefix + request.path : request.path)
        set(CURLOPT_BUFFERSIZE, request.isAnsweredInPieces ? Self.smallReadSize : Self.readSize)
        set(CURLOPT_HTTPGET, 1)
        var framing: [String] = []
        if request.method == "HEAD" {
            // NOBODY also stops libcurl from waiting for a response body.
            set(CURLOPT_NOBODY, 1)
        } else if let body = request.body {
            setBody(body)
        } else if let upload = request.upload {
            set(CURLOPT_POST, 1)
            unsafe selene_easy_set_pointer(pointer, CURLOPT_POSTFIELDS, nil)
            unsafe selene_easy_set_offset(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(upload.length ?? -1))
            if upload.length == nil { framing = ["Transfer-Encoding: chunked"] }
        } else if request.method == "POST" || request.method == "PUT" || request.method == "PATCH" {
            setBody(ByteBuffer())
        }
        if request.method == "GET" && request.body == nil && request.upload == nil {
            unsafe selene_easy_set_pointer(pointer, CURLOPT_CUSTOMREQUEST, nil)
        } else {
            set(CURLOPT_CUSTOMREQUEST, request.method)
        }
        setHeaders(request, framing)
    }

    /// Frees the transfer's resources and makes the handle reusable.
    func release() {
        // libcurl must not keep pointers to memory that is freed here.
        unsafe selene_easy_set_list(pointer, CURLOPT_HTTPHEADER, nil)
        unsafe selene_easy_set_pointer(pointer, CURLOPT_POSTFIELDS, nil)
        unsafe curl_slist_free_all(headerList)
        unsafe headerList = nil
        unsafe body?.deallocate()
        unsafe body = nil
        transfer = nil
        deadline = nil
        isReady = false
        headers = []
        headerBytes = 0
    }

    /// The largest total of response headers in bytes, including those of interim responses.
    static let headerLimit = 256 << 10

    /// Receives one header line: a status line begins a head, an empty line ends it. Trailers are dropped.
    ///
    /// - Returns: Whether the transfer may continue.
    func receiveHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        guard let transfer, !transfer.hasHead else { return true }
        connection?.lastArrival = .now
        headerBytes += line.count + 2
        guard headerBytes <= Self.headerLimit else {
            return refuse("its headers are larger than \(Self.headerLimit) bytes")
        }
        if unsafe line.isEmpty {
            // The status that libcurl parsed. It accepts more forms of status lines than are valid.
            var status = 0
            unsafe selene_easy_get_long(pointer, CURLINFO_RESPONSE_CODE, &status)
            switch status {
            case 200...599:
                transfer.receive(UpstreamResponseHead(status: status, headers: headers))
                connection?.gate.answered(identity, status: status)
                markReady()
            // An interim response (100 Continue) is followed by the real one.
            case 100, 102..<200: headers = []
            default: return refuse("status \(status) is not valid")
            }
        } else if unsafe line.starts(with: "HTTP/".utf8) {
            guard unsafe connection == nil || line.starts(with: "HTTP/2".utf8) else {
                return refuse("it does not speak HTTP/2")
            }
            headers = []
        } else if let colon = unsafe line.firstIndex(of: UInt8(ascii: ":")) {
            let value = unsafe line[(colon + 1)...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            headers.append(
                unsafe (String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self)))
        }
        return true
    }

    /// Fails the transfer because of an invalid head.
    private func refuse(_ reason: String) -> Bool {
        transfer?.end(.failed(UpstreamError(.protocolViolation, "\(peer)'s response is not valid HTTP: \(reason)")))
        markReady()
        return false
    }

    /// Marks the handle: its consumer must be woken.
    func markReady() {
        guard !isReady else { return }
        isReady = true
        ready.handles.append(self)
    }

    private func setBody(_ buffer: ByteBuffer) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, buffer.readableBytes), alignment: 1)
        unsafe buffer.withUnsafeReadableBytes { unsafe copy.copyMemory(from: $0) }
        unsafe body = copy
        unsafe selene_easy_set_offset(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(buffer.readableBytes))
        unsafe selene_easy_set_pointer(pointer, CURLOPT_POSTFIELDS, copy.baseAddress)
    }

    private func setHeaders(_ request: UpstreamRequest, _ framing: [String]) {
        // An empty "Expect:" keeps libcurl from waiting for a "100 Continue" before larger bodies.
        append("Expect:")
        for line in framing { append(line) }
        var own: Set<String> = request.isForwarded ? ["accept", "content-type"] : []
        for (name, value) in request.headers {
            append(value.isEmpty ? "\(name);" : "\(name): \(value)")
            if !own.isEmpty { own.remove(name.lowercased()) }
        }
        // A name without a value removes a header that libcurl would add.
        for name in own { append("\(name):") }
        if !request.isForwarded { append("User-Agent: selene-gateway") }
        unsafe selene_easy_set_list(pointer, CURLOPT_HTTPHEADER, headerList)
    }

    /// Adds a header line, unless a control character would split it in two.
    private func append(_ line: String) {
        guard !line.utf8.contains(where: { $0 == 10 || $0 == 13 || $0 == 0 }) else { return }
        unsafe headerList = curl_slist_append(headerList, line)
    }

    /// Copies the next bytes of an upload into libcurl's memory; nil to wait for more.
    func nextUploadBytes(into target: UnsafeMutableRawBufferPointer) -> Int? {
        guard let transfer, let upload = transfer.request.upload, !transfer.hasEnded else {
            return Int(CURL_READFUNC_ABORT)
        }
        markReady()
        return unsafe upload.read(into: target)
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
    return unsafe easy.receiveHeaderLine(line) ? size * count : 0
}

private func openSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context = unsafe context, let address = unsafe address,
        let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr)
    else { return CURL_SOCKET_BAD }
    let easy = unsafe Unmanaged<CurlEasy>.fromOpaque(context).takeUnretainedValue()
    let length = unsafe Int(address.pointee.addrlen)
    let isPublic = unsafe PublicAddress.isPublic(UnsafeRawPointer(address) + offset, length: length)
    guard easy.mayConnect(isPublic: isPublic) else { return CURL_SOCKET_BAD }
    let descriptor = unsafe socket(address.pointee.family, address.pointee.socktype, address.pointee.protocol)
    if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    return descriptor
}

private func sendBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = unsafe context, let bytes = unsafe bytes else { return Int(CURL_READFUNC_ABORT) }
    let easy = unsafe Unmanaged<CurlEasy>.fromOpaque(context).takeUnretainedValue()
    let target = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    return unsafe easy.nextUploadBytes(into: target) ?? Int(CURL_READFUNC_PAUSE)
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
