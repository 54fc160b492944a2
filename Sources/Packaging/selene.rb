# Formula of Homebrew for Selene Gateway. Before use, replace url and sha256 by those of a release's source archive:
#   curl -L URL | shasum -a 256
# It builds from source, with Xcode 26. Homebrew's bottles, made from it, need no compiler.
class Selene < Formula
  desc "Self-hosted Ollama proxy and retrieval gateway over your notes"
  homepage "https://example.invalid/selene-gateway"
  url "https://example.invalid/PLACEHOLDER/selene-gateway-0.2.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"

  depends_on xcode: ["26.0", :build]
  depends_on "pkgconf" => :build
  depends_on "cmark-gfm"
  depends_on "icu4c@78"
  depends_on "libpq"
  depends_on "libzip"
  depends_on macos: :sequoia
  depends_on "qpdf"
  uses_from_macos "python" => :build
  uses_from_macos "curl"
  uses_from_macos "libxml2"
  uses_from_macos "sqlite"

  def install
    # Homebrew links neither of them into its prefix.
    %w[icu4c@78 libpq].each { |name| ENV.prepend_path "PKG_CONFIG_PATH", Formula[name].opt_lib/"pkgconfig" }
    system "swift", "build", "--disable-sandbox", "--configuration", "release", "--product", "selene"
    bin.install ".build/release/selene"
    generate_completions_from_executable(bin/"selene", "--generate-completion-script")
    system "python3", "Sources/Packaging/man.py", bin/"selene", man1
  end

  service do
    run [opt_bin/"selene", "serve"]
    keep_alive successful_exit: false
    log_path var/"log/selene.log"
    error_log_path var/"log/selene.log"
    working_dir Dir.home
  end

  test do
    port = free_port
    (testpath/"config.yaml").write <<~YAML
      database: #{testpath}/notes.sqlite
      port: #{port}
    YAML
    pid = spawn bin/"selene", "serve", "--config", testpath/"config.yaml"
    begin
      output = shell_output("curl --silent --retry 10 --retry-connrefused http://127.0.0.1:#{port}/health")
      assert_match "\"status\":\"ok\"", output
    ensure
      Process.kill "TERM", pid
      Process.wait pid
    end
  end
end
