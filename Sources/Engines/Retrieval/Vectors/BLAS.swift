#if canImport(Accelerate)
import Accelerate
#else
import CBLAS
import Glibc
#endif

/// The BLAS routine that retrieval uses. Only this file knows the C interface.
public enum BLAS {
    /// Computes `result = rows · panel`, row-major: `count × dimensions` by `dimensions × width` gives `count × width`
    /// floats.
    ///
    /// Runs on the calling thread alone, because the scan has its own threads.
    static func multiply(
        _ rows: UnsafePointer<Float>, count: Int, dimensions: Int, panel: UnsafePointer<Float>, width: Int,
        into result: UnsafeMutablePointer<Float>
    ) {
        _ = singleThreaded
        unsafe cblas_sgemm(
            CblasRowMajor, CblasNoTrans, CblasNoTrans, BLASInteger(count), BLASInteger(width), BLASInteger(dimensions),
            1, rows, BLASInteger(dimensions), panel, BLASInteger(width), 0, result, BLASInteger(width))
    }

    /// Makes OpenBLAS single-threaded. It would spread each call over all cores, and ends the process when too many
    /// threads do that together.
    private static let singleThreaded: Void = {
        #if !canImport(Accelerate)
        typealias SetThreads = @convention(c) (Int32) -> Void
        if let symbol = unsafe dlsym(nil, "openblas_set_num_threads") {
            unsafe unsafeBitCast(symbol, to: SetThreads.self)(1)
        }
        #endif
    }()

    /// The BLAS in use, for logs and reports: `OpenBLAS …`, `Accelerate`, or a reference BLAS, which is slow.
    public static var description: String {
        #if canImport(Accelerate)
        return "Accelerate"
        #else
        typealias Configuration = @convention(c) () -> UnsafePointer<CChar>?
        // Debian links the BLAS that its alternatives system chose; only OpenBLAS has this symbol.
        guard let symbol = unsafe dlsym(nil, "openblas_get_config"),
            let text = unsafe unsafeBitCast(symbol, to: Configuration.self)()
        else { return "reference BLAS (slow; install libopenblas0-pthread)" }
        return unsafe String(cString: text)
        #endif
    }
}

#if canImport(Accelerate)
private typealias BLASInteger = __LAPACK_int
#else
private typealias BLASInteger = Int32
#endif
