import GatewayAPI

/// Spans as the JSON of OTLP: ids in hexadecimal digits, 64-bit numbers as texts.
struct SpanJSON: Sendable {
    /// The attribute `service.name`.
    let service: String
    /// A number of this process, for `service.instance.id`.
    let instance: String

    /// The body of `POST /v1/traces`.
    func body(_ spans: [TraceSpan]) -> [UInt8] {
        JSONWriter.object(reserving: 1024 + spans.count * 1024) { request in
            request.member(
                "resourceSpans",
                array: { resources in
                    resources.object { resource in
                        resource.member("resource", object: { $0.member("attributes", array: describe) })
                        scope(spans, in: &resource)
                    }
                })
        }
    }

    private func describe(_ attributes: inout JSONWriter) {
        Self.add("service.name", .text(service), to: &attributes)
        Self.add("service.version", .text(GatewayVersion.current), to: &attributes)
        Self.add("service.instance.id", .text(instance), to: &attributes)
    }

    private func scope(_ spans: [TraceSpan], in resource: inout JSONWriter) {
        resource.member(
            "scopeSpans",
            array: { scopes in
                scopes.object { scope in
                    scope.member(
                        "scope",
                        object: {
                            $0.member("name", "selene-gateway")
                            $0.member("version", GatewayVersion.current)
                        })
                    scope.member(
                        "spans", array: { list in for span in spans { list.object { Self.write(span, to: &$0) } } })
                }
            })
    }

    private static func write(_ span: TraceSpan, to object: inout JSONWriter) {
        object.member("traceId", span.trace.description)
        object.member("spanId", span.id.description)
        object.member("parentSpanId", span.parent?.description)
        object.member("traceState", span.state)
        // Sampled; and whether it is known, and true, that the parent is another program's.
        object.member("flags", 0x101 | (span.isParentRemote ? 0x200 : 0))
        object.member("name", span.name)
        object.member("kind", span.kind.rawValue)
        object.member("startTimeUnixNano", String(span.start))
        object.member("endTimeUnixNano", String(span.end))
        object.member(
            "attributes",
            array: { list in
                for attribute in span.attributes { add(attribute.name, attribute.value, to: &list) }
            })
        object.member("status", object: { if span.isFailed { $0.member("code", 2) } })
    }

    private static func add(_ name: String, _ value: TraceSpan.Value, to list: inout JSONWriter) {
        list.object { attribute in
            attribute.member("key", name)
            attribute.member(
                "value",
                object: { object in
                    switch value {
                    case .text(let text): object.member("stringValue", text)
                    case .integer(let number): object.member("intValue", String(number))
                    case .number(let number): object.member("doubleValue", number)
                    case .flag(let flag): object.member("boolValue", flag)
                    }
                })
        }
    }
}
