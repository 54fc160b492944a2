#if canImport(Accelerate)
import Accelerate
#else
import CBLAS
import Glibc
#endif

/// The few BLAS routines that retrieval uses; the only file that knows the C interface.
public enum BLAS {
    /// `result[i] = matrix[i] · vector` for row-major rows.
    ///
    /// - Parameters:
    ///   - matrix: `rows * columns` floats.
    ///   - vector: `columns` floats.
    ///   - result: `rows` floats, overwritten.
    static func multiply(
        _ matrix: UnsafePointer<Float>, rows: Int, columns: Int, by vector: UnsafePointer<Float>,
        into result: UnsafeMutablePointer<Float>
    ) {
        unsafe cblas_sgemv(
            CblasRowMajor, CblasNoTrans, BLASInteger(rows), BLASInteger(columns), 1, matrix, BLASInteger(columns),
            vector, 1, 0, result, 1)
    }

    /// The inner product of two vectors.
    static func dot(_ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>, count: Int) -> Float {
        unsafe cblas_sdot(BLASInteger(count), left, 1, right, 1)
    }

    /// Which BLAS answers, for logs and reports: `OpenBLAS …`, `Accelerate`, or a reference BLAS, which is slow.
    public static var description: String {
        #if canImport(Accelerate)
        return "Accelerate"
        #else
        typealias Configuration = @convention(c) () -> UnsafePointer<CChar>?
        // Debian links whichever BLAS the alternatives system chose; only OpenBLAS has this symbol.
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
