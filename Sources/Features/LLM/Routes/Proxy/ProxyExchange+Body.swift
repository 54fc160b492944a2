import Access
import Dispatch
import HTTPTypes
import Inference
import NIOCore
import Server
import Transport

/// The request's body: in memory while it is small, then on disk, and sent when it is whole.
extension ProxyExchange {
    /// The largest body; nil for any.
    var bodyLimit: Int? { ProxyPolicy.bodyLimit(of: kind) }

    /// A part of the body came.
    func receive(_ bytes: ByteBuffer) {
        guard !responseEnded else { return }
        receivedBytes += bytes.readableBytes
        if let limit = bodyLimit, receivedBytes > limit { return fail(tooLarge(limit)) }
        guard look(at: bytes) else { return }
        if upload != nil { return send(bytes) }
        do throws(GatewayError) {
            try memoryShare.grow(by: bytes.readableBytes, of: identity.admissionName, in: proxy.bodies.memory)
            if spool != nil {
                try diskShare.grow(by: bytes.readableBytes, of: identity.admissionName, in: proxy.bodies.spool)
            }
        } catch {
            return fail(error)
        }
        if let spool {
            spool.append(bytes)
            writeSpooled()
            return
        }
        var bytes = bytes
        if collected.readableBytes == 0 { collected = bytes } else { collected.writeBuffer(&bytes) }
        if collected.readableBytes > collectLimit { collectedEnough() }
    }

    /// The body is whole.
    func receiveEnd() {
        requestEnded = true
        if spool == nil { upload?.finish() }
        beginIfReady()
    }

    func tooLarge(_ limit: Int) -> GatewayError {
        GatewayError(
            .contentTooLarge, .tooLarge, "the body is larger than \(limit) bytes", headers: [.connection: "close"])
    }

    /// The collected beginning is as long as it may be: what follows goes to disk, or is sent while it comes.
    func collectedEnough() {
        guard isAllowed, kind == .inference else {
            handler.setUploadIsFull(true, context)
            return beginIfReady()
        }
        // The rules are applied to the beginning, which stays in memory.
        guard settleModel() else { return }
        spool = BodySpool(folder: proxy.bodies.folder)
        handler.setUploadIsFull(false, context)
    }

    /// Sends a part of a body that goes out while it comes.
    package func send(_ bytes: ByteBuffer) {
        let (loop, bound) = (context.eventLoop, bound)
        let hasRoom = upload?.write(bytes) {
            loop.execute {
                let exchange = bound.value
                if !exchange.responseEnded { exchange.handler.setUploadIsFull(false, exchange.context) }
            }
        }
        handler.setUploadIsFull(hasRoom == false, context)
    }

    // MARK: On disk

    private func writeSpooled() {
        guard let spool else { return }
        handler.setUploadIsFull(spool.isFull, context)
        guard let (bytes, offset) = spool.nextWrite() else { return }
        let (loop, bound, file) = (context.eventLoop, bound, spool.file)
        SpoolFile.queue.async {
            let result = Result { () throws(GatewayError) in try file.write(bytes, at: offset) }
            loop.execute { bound.value.didWriteSpooled(result) }
        }
    }

    private func didWriteSpooled(_ result: Result<Void, GatewayError>) {
        guard !responseEnded, let spool else { return }
        if case .failure(let error) = result { return fail(error) }
        memoryShare.shrink(by: spool.didWrite(), in: proxy.bodies.memory)
        writeSpooled()
        beginIfReady()
    }

    /// Sends a body whose rest is on disk: its beginning, then one part after the other as there is room.
    func sendSpooled(_ beginning: ByteBuffer) {
        guard let upload else { return }
        let (loop, bound) = (context.eventLoop, bound)
        let hasRoom = upload.write(beginning) { loop.execute { bound.value.readSpooled() } }
        if hasRoom { readSpooled() }
    }

    private func readSpooled() {
        guard !responseEnded, let upload, let spool else { return }
        guard let (offset, count) = spool.nextRead() else { return upload.finish() }
        let (loop, bound, file) = (context.eventLoop, bound, spool.file)
        SpoolFile.queue.async {
            let result = Result { () throws(GatewayError) in try file.read(at: offset, count: count) }
            loop.execute { bound.value.didReadSpooled(result) }
        }
    }

    private func didReadSpooled(_ result: Result<ByteBuffer, GatewayError>) {
        guard !responseEnded else { return }
        switch result {
        case .failure(let error): fail(error)
        case .success(let bytes): sendSpooled(bytes)
        }
    }

    /// Lets go of the body.
    func releaseBody() {
        collected = ByteBuffer()
        spool = nil
        memoryShare.release(in: proxy.bodies.memory)
        diskShare.release(in: proxy.bodies.spool)
    }
}
