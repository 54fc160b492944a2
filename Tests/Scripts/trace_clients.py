"""The traces that a gateway sends, read with OpenTelemetry's own definition of OTLP (`opentelemetry-proto`), as its
collector reads them: `make test-clients`.
"""
import base64
import http.server
import json
import sys
import threading

import ollama
import openai
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

import stand

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
CALLER = {"traceparent": f"00-{TRACE}-{PARENT}-01", "tracestate": "rojo=1"}
SECRET = "Bearer top secret"
PROMPT = "Where does the harbour gauge stand?"


class Collector:
    """A collector on 127.0.0.1, which keeps what it gets."""

    def __init__(self):
        self.bodies, self.headers = [], []
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            """Takes traces."""

            def do_POST(self):
                """Keeps a body."""
                body = self.rfile.read(int(self.headers["Content-Length"]))
                good = self.path == "/v1/traces" and self.headers["Content-Type"] == "application/json"
                if good:
                    collector.bodies.append(body)
                    collector.headers.append(self.headers["Authorization"])
                self.send_response(200 if good else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                """Writes nothing."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        """Stops listening."""
        self.server.shutdown()
        self.server.server_close()


def parse(body):
    """A request as OTLP defines it. Unknown names and wrong types raise.

    OTLP/JSON has ids in hexadecimal digits, while the JSON of Protocol Buffers has bytes in base64. The collector's reader
    knows that of these three fields; here they are rewritten first.
    """
    value = json.loads(body)
    for resource in value["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                for name, length in (("traceId", 16), ("spanId", 8), ("parentSpanId", 8)):
                    if name in span:
                        number = bytes.fromhex(span[name])
                        assert len(number) == length and any(number), span
                        span[name] = base64.b64encode(number).decode()
    return json_format.ParseDict(value, ExportTraceServiceRequest())


def attributes(owner):
    """The attributes of a span or a resource; a repeated name fails."""
    found = {}
    for pair in owner.attributes:
        assert pair.key not in found, pair.key
        found[pair.key] = getattr(pair.value, pair.value.WhichOneof("value"))
    return found


def ask(gateway):
    """Sends requests as clients do: chats, vectors, an error and one in no trace."""
    key = gateway.key("phone", "llm")
    headers = {"Authorization": f"Bearer {key}", **CALLER}
    client = ollama.Client(gateway.url, headers=headers)
    messages = [{"role": "user", "content": PROMPT}]
    assert "".join(part.message.content for part in client.chat("llama3.2", messages, stream=True))
    client.embed("nomic-embed-text", PROMPT)
    try:
        client.chat("missing", messages)
        raise AssertionError("a missing model answered")
    except ollama.ResponseError as error:
        assert error.status_code == 404, error
    other = openai.OpenAI(base_url=f"{gateway.url}/v1", api_key=key, max_retries=0)
    assert other.chat.completions.create(model="llama3.2", messages=messages).choices[0].message.content
    return key


def check(requests):
    """Looks at the spans."""
    spans = []
    for request in requests:
        for resource in request.resource_spans:
            about = attributes(resource.resource)
            assert about["service.name"] == "harbour" and about["service.version"] and about["service.instance.id"]
            for scope in resource.scope_spans:
                assert scope.scope.name == "selene-gateway"
                spans += scope.spans
    servers = {span.span_id: span for span in spans if span.kind == Span.SPAN_KIND_SERVER}
    calls = [span for span in spans if span.kind == Span.SPAN_KIND_CLIENT]
    assert len({span.span_id for span in spans}) == len(spans) == len(servers) + len(calls)
    for span in spans:
        assert 10**18 < span.start_time_unix_nano <= span.end_time_unix_nano < 4 * 10**18, span
        assert span.flags & 0x101 == 0x101
    for call in calls:
        server, about = servers[call.parent_span_id], attributes(call)
        assert call.trace_id == server.trace_id and call.trace_state == server.trace_state
        assert server.start_time_unix_nano <= call.start_time_unix_nano and not call.flags & 0x200
        assert about["gen_ai.provider.name"] == "ollama" and about["server.address"] == "127.0.0.1"
        assert isinstance(about["server.port"], int)
        assert call.name == f"{about['gen_ai.operation.name']} {about['gen_ai.request.model']}"
    named = {}
    for call in calls:
        named.setdefault(call.name, []).append(call)
    assert {name: len(all_) for name, all_ in named.items()} == {
        "chat llama3.2": 2, "embeddings nomic-embed-text": 1, "chat missing": 1}, named.keys()
    stream, alone = sorted(named["chat llama3.2"], key=lambda call: call.trace_id.hex() != TRACE)
    assert stream.trace_id.hex() == TRACE and stream.trace_state == "rojo=1"
    server = servers[stream.parent_span_id]
    assert server.parent_span_id.hex() == PARENT and server.flags & 0x300 == 0x300
    assert attributes(server)["selene.key"] == "phone" and attributes(server)["http.response.status_code"] == 200
    about = attributes(stream)
    assert about["gen_ai.usage.input_tokens"] > 0 and about["gen_ai.usage.output_tokens"] > 0
    assert 0 < about["gen_ai.response.time_to_first_chunk"] < 60
    assert alone.trace_id.hex() != TRACE and not servers[alone.parent_span_id].parent_span_id
    failed = named["chat missing"][0]
    assert failed.status.code == Status.STATUS_CODE_ERROR and attributes(failed)["error.type"]


def main():
    """Runs a gateway that sends to a collector, and checks what came."""
    collector = Collector()
    try:
        settings = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_SERVICE_NAME": "harbour",
            "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20top%20secret"}
        with stand.Stand(settings=settings) as gateway:
            key = ask(gateway)
            log = gateway.folder / "gateway.log"
            stand.stop(gateway.gateway_process)
            written = log.read_text()
    finally:
        collector.close()
    sent = b"".join(collector.bodies).decode()
    assert collector.bodies and set(collector.headers) == {SECRET}, collector.headers
    for text in (key, "secret", "harbour gauge"):
        assert text not in sent and text not in written, text
    check([parse(body) for body in collector.bodies])
    print(f"ok   traces: {len(collector.bodies)} requests")
    return 0


if __name__ == "__main__":
    sys.exit(main())
