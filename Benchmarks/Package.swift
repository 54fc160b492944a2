// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "selene-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "selene-gateway", path: ".."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.0", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "RetrievalBench", dependencies: [.product(name: "Retrieval", package: "selene-gateway")]),
        .executableTarget(
            name: "AssociationsBench", dependencies: [.product(name: "Retrieval", package: "selene-gateway")]),
        .executableTarget(
            name: "KeywordBench", dependencies: [.product(name: "Retrieval", package: "selene-gateway")]),
        .executableTarget(
            name: "BareEcho", dependencies: [.product(name: "Hummingbird", package: "hummingbird")]),
        .executableTarget(
            name: "RetrievalBenchmarks",
            dependencies: [
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "Retrieval", package: "selene-gateway"),
            ],
            path: "Benchmarks/RetrievalBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    ],
    swiftLanguageModes: [.v6]
)
