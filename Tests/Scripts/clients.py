#!/usr/bin/env python3
"""Checks an Ollama, or a gateway in front of one, with the official Python clients `ollama` and `openai`.

    clients.py URL [--key KEY | --password KEY | --sign FILE] [--model M] [--thinking-model M] [--embed-model M] [--admin]

Prints one line for each check and exits with 1 if a check failed. If the packages are missing, it says so and skips
all checks. Both clients send the key as a bearer token, or as a password, or sign as Ollama's own client does, with the
private key of a file of ssh-keygen. Checks that change the server's models need --admin.
"""
import argparse
import asyncio
import base64
import json
import sys
import time
import traceback

try:
    import httpx
    import ollama
    import openai
except ImportError as error:
    print(f"skipped: {error.name} is not installed (make test-clients installs it)")
    sys.exit(0)

TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "unit": {"type": "string", "enum": ["C", "F"]}},
            "required": ["city"],
        },
    },
}
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer", "minimum": 18},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["name", "age", "tags"],
}
ASK = [{"role": "user", "content": "What is the weather in Paris?"}]
HELLO = [{"role": "user", "content": "Say hello to the tide"}]
CHECKS = []


class Signing(httpx.Auth):
    """Signs a request as Ollama's client does: method, path and time, with an Ed25519 key."""

    def __init__(self, file):
        from cryptography.hazmat.primitives import serialization
        with open(file, "rb") as source:
            self.private = serialization.load_ssh_private_key(source.read(), None)
        line = self.private.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
        self.public = line.split()[1].decode()

    def auth_flow(self, request):
        now = int(time.time())
        path = request.url.raw_path.split(b"?")[0].decode()
        signature = self.private.sign(f"{request.method},{path}?ts={now}".encode())
        request.url = request.url.copy_merge_params({"ts": now})
        request.headers["Authorization"] = f"{self.public}:{base64.b64encode(signature).decode()}"
        yield request


def check(function):
    """Registers a check; the first line of its docstring is its name."""
    CHECKS.append(function)
    return function


def fits(text):
    """Whether a text is an instance of SCHEMA."""
    value = json.loads(text)
    assert list(value) == ["name", "age", "tags"], value
    assert isinstance(value["name"], str) and value["age"] >= 18 and all(isinstance(x, str) for x in value["tags"])


# ---- ollama


@check
def ollama_generate(c):
    """ollama: generate, whole"""
    r = c.ollama.generate(c.model, "Say hello", options={"num_predict": 5})
    assert r.response and r.done and r.eval_count, r


@check
def ollama_generate_stream(c):
    """ollama: generate, stream"""
    parts = list(c.ollama.generate(c.model, "Say hello", stream=True, options={"num_predict": 5}))
    assert len(parts) > 1 and parts[-1].done and not parts[0].done, parts
    again = c.ollama.generate(c.model, "Go on", context=parts[-1].context, options={"num_predict": 2})
    assert again.done


@check
def ollama_generate_raw(c):
    """ollama: generate with raw, suffix, images"""
    assert c.ollama.generate(c.model, "def f():", raw=True).context is None
    assert c.ollama.generate(c.model, "def f():", suffix="return x").done
    assert c.ollama.generate(c.model, "What is this?", images=[b"\x89PNG"]).done


@check
def ollama_chat(c):
    """ollama: chat, whole"""
    r = c.ollama.chat(c.model, HELLO)
    assert r.message.role == "assistant" and r.message.content and r.done_reason in ("stop", "length"), r


@check
def ollama_chat_stream(c):
    """ollama: chat, stream"""
    parts = list(c.ollama.chat(c.model, HELLO, stream=True))
    assert len(parts) > 1 and parts[-1].done and "".join(p.message.content for p in parts), parts


@check
def ollama_tools(c):
    """ollama: tools, there and back"""
    r = c.ollama.chat(c.model, ASK, tools=[TOOL])
    call = r.message.tool_calls[0]
    assert call.function.name == "get_weather" and call.function.arguments["city"] == "Paris", call
    answer = c.ollama.chat(
        c.model, [*ASK, r.message, {"role": "tool", "tool_name": "get_weather", "content": "11 degrees"}], tools=[TOOL]
    )
    assert answer.message.content and not answer.message.tool_calls, answer
    parts = list(c.ollama.chat(c.model, ASK, tools=[TOOL], stream=True))
    assert any(p.message.tool_calls for p in parts) and parts[-1].done, parts


@check
def ollama_structured(c):
    """ollama: structured output"""
    fits(c.ollama.chat(c.model, HELLO, format=SCHEMA).message.content)
    fits("".join(p.response for p in c.ollama.generate(c.model, "A person", format=SCHEMA, stream=True)))
    json.loads(c.ollama.generate(c.model, "A person as JSON", format="json").response)


@check
def ollama_thinking(c):
    """ollama: thinking"""
    r = c.ollama.chat(c.thinking_model, HELLO, think=True)
    assert r.message.thinking and r.message.content, r
    assert not c.ollama.chat(c.thinking_model, HELLO, think=False).message.thinking
    parts = list(c.ollama.chat(c.thinking_model, HELLO, think=True, stream=True))
    assert any(p.message.thinking for p in parts) and any(p.message.content for p in parts)


@check
def ollama_embed(c):
    """ollama: embed, embeddings"""
    r = c.ollama.embed(c.embed_model, ["spring tide", "neap tide"])
    assert len(r.embeddings) == 2 and abs(sum(x * x for x in r.embeddings[0]) - 1) < 1e-3, r
    assert len(c.ollama.embed(c.embed_model, "tide", dimensions=64).embeddings[0]) == 64
    assert len(c.ollama.embeddings(c.embed_model, "tide").embedding) == len(r.embeddings[0])
    assert len(c.ollama.embed(c.embed_model, []).embeddings) == 0


@check
def ollama_models(c):
    """ollama: list, show, ps"""
    names = [m.model for m in c.ollama.list().models]
    assert any(n.startswith(c.model) for n in names), names
    shown = c.ollama.show(c.model)
    assert "completion" in shown.capabilities and shown.details.family and shown.modelinfo, shown
    c.ollama.generate(c.model, "x", keep_alive="10m", options={"num_predict": 1})
    running = [m for m in c.ollama.ps().models if m.model.startswith(c.model)]
    assert running and running[0].expires_at and running[0].context_length, running


@check
def ollama_errors(c):
    """ollama: errors keep their status and text"""
    for call in (
        lambda: c.ollama.chat("no-such-model", HELLO),
        lambda: list(c.ollama.generate("no-such-model", "x", stream=True)),
        lambda: c.ollama.show("no-such-model"),
    ):
        try:
            call()
        except ollama.ResponseError as error:
            assert error.status_code == 404 and "not found" in error.error, error
        else:
            raise AssertionError("no error")


@check
def ollama_load(c):
    """ollama: an empty prompt loads, keep_alive 0 unloads"""
    assert c.ollama.generate(c.model).done_reason == "load"
    assert c.ollama.chat(c.model, keep_alive=0).done_reason == "unload"


@check
def ollama_admin(c):
    """ollama: pull, push, create, copy, delete, blobs (admin)"""
    lines = list(c.ollama.pull("pulled-model", stream=True))
    assert len(lines) > 3 and lines[-1].status == "success" and any(l.total for l in lines), lines
    assert c.ollama.pull("pulled-model").status == "success"
    assert list(c.ollama.push("pulled-model", stream=True))[-1].status == "success"
    c.ollama.copy("pulled-model", "copied-model")
    assert c.ollama.create("made-model", from_="copied-model", system="Be brief").status == "success"
    for name in ("pulled-model", "copied-model", "made-model"):
        assert c.ollama.delete(name).status == "success"
    import tempfile

    with tempfile.NamedTemporaryFile() as file:
        file.write(b"GGUF" + bytes(300_000))
        file.flush()
        assert c.ollama.create_blob(file.name).startswith("sha256:")


@check
async def ollama_async(c):
    """ollama: async client, ten at once"""
    client = ollama.AsyncClient(c.url, **c.options)
    answers = await asyncio.gather(*(client.chat(c.model, HELLO) for _ in range(10)))
    assert all(a.message.content for a in answers)
    parts = [p async for p in await client.chat(c.model, HELLO, stream=True)]
    assert parts[-1].done and len(parts) > 1
    assert len((await client.embed(c.embed_model, ["a", "b"])).embeddings) == 2
    assert (await client.list()).models and (await client.ps()) is not None


# ---- openai


@check
def openai_chat(c):
    """openai: chat, whole"""
    r = c.openai.chat.completions.create(model=c.model, messages=HELLO)
    assert r.object == "chat.completion" and r.choices[0].message.content and r.usage.total_tokens, r
    assert r.usage.total_tokens == r.usage.prompt_tokens + r.usage.completion_tokens


@check
def openai_chat_stream(c):
    """openai: chat, stream with usage"""
    parts = list(
        c.openai.chat.completions.create(
            model=c.model, messages=HELLO, stream=True, stream_options={"include_usage": True}
        )
    )
    assert parts[0].choices[0].delta.role == "assistant"
    assert parts[-1].usage.completion_tokens and not parts[-1].choices, parts[-1]
    assert any(p.choices and p.choices[0].finish_reason == "stop" for p in parts)
    plain = list(c.openai.chat.completions.create(model=c.model, messages=HELLO, stream=True))
    assert all(p.usage is None for p in plain)


@check
def openai_tools(c):
    """openai: tools, whole and stream"""
    r = c.openai.chat.completions.create(model=c.model, messages=ASK, tools=[TOOL])
    call = r.choices[0].message.tool_calls[0]
    assert r.choices[0].finish_reason == "tool_calls" and json.loads(call.function.arguments)["city"] == "Paris", r
    messages = [*ASK, r.choices[0].message, {"role": "tool", "tool_call_id": call.id, "content": "11 degrees"}]
    answer = c.openai.chat.completions.create(model=c.model, messages=messages, tools=[TOOL])
    assert answer.choices[0].message.content
    parts = list(c.openai.chat.completions.create(model=c.model, messages=ASK, tools=[TOOL], stream=True))
    assert any(p.choices and p.choices[0].delta.tool_calls for p in parts)
    assert any(p.choices and p.choices[0].finish_reason == "tool_calls" for p in parts)


@check
def openai_structured(c):
    """openai: response_format"""
    form = {"type": "json_schema", "json_schema": {"name": "person", "schema": SCHEMA}}
    r = c.openai.chat.completions.create(model=c.model, messages=HELLO, response_format=form)
    fits(r.choices[0].message.content)
    r = c.openai.chat.completions.create(model=c.model, messages=HELLO, response_format={"type": "json_object"})
    json.loads(r.choices[0].message.content)


@check
def openai_completions(c):
    """openai: completions"""
    r = c.openai.completions.create(model=c.model, prompt="Say hello", max_tokens=5)
    assert r.choices[0].text and r.choices[0].finish_reason == "length", r
    parts = list(c.openai.completions.create(model=c.model, prompt="Say hello", stream=True))
    assert len(parts) > 1 and parts[-1].choices[0].finish_reason


@check
def openai_embeddings(c):
    """openai: embeddings, float and base64"""
    floats = c.openai.embeddings.create(model=c.embed_model, input=["tide", "moon"], encoding_format="float")
    coded = c.openai.embeddings.create(model=c.embed_model, input=["tide", "moon"])  # base64, decoded by the client
    assert len(floats.data) == 2 and floats.usage.total_tokens, floats
    pairs = zip(floats.data[1].embedding, coded.data[1].embedding)
    assert all(abs(a - b) < 1e-6 for a, b in pairs)


@check
def openai_models(c):
    """openai: models"""
    names = [m.id for m in c.openai.models.list()]
    assert any(n.startswith(c.model) for n in names), names
    assert c.openai.models.retrieve(c.model).id == c.model


@check
def openai_responses(c):
    """openai: responses, whole, stream and tools"""
    r = c.openai.responses.create(model=c.model, input="Say hello")
    assert r.output_text and r.status == "completed" and r.usage.total_tokens, r
    events = list(c.openai.responses.create(model=c.model, input="Say hello", stream=True))
    assert events[0].type == "response.created" and events[-1].type == "response.completed", events
    assert "".join(e.delta for e in events if e.type == "response.output_text.delta") == events[-1].response.output_text
    tool = {"type": "function", **TOOL["function"], "strict": False}
    called = c.openai.responses.create(model=c.model, input=ASK[0]["content"], tools=[tool])
    assert json.loads(called.output[0].arguments)["city"] == "Paris", called


@check
def openai_errors(c):
    """openai: errors"""
    for call in (
        lambda: c.openai.chat.completions.create(model="no-such-model", messages=HELLO),
        lambda: c.openai.models.retrieve("no-such-model"),
    ):
        try:
            call()
        except openai.NotFoundError as error:
            assert "not found" in error.body["message"] and error.type, error.body
        else:
            raise AssertionError("no error")
    try:
        c.openai.chat.completions.create(model=c.model, messages=[])
    except openai.BadRequestError as error:
        assert "messages" in str(error)
    else:
        raise AssertionError("no error")


@check
async def openai_async(c):
    """openai: async client, ten at once"""
    web = httpx.AsyncClient(auth=c.auth) if c.auth else None
    async with openai.AsyncOpenAI(base_url=c.url + "/v1", api_key=c.key or "none", max_retries=0, http_client=web) as client:
        answers = await asyncio.gather(
            *(client.chat.completions.create(model=c.model, messages=HELLO) for _ in range(10))
        )
        assert all(a.choices[0].message.content for a in answers)
        stream = await client.chat.completions.create(model=c.model, messages=HELLO, stream=True)
        assert len([p async for p in stream]) > 1


# ---- anthropic


@check
def anthropic_messages(c):
    """anthropic: a message, a stream, a tool, and the count of tokens"""
    try:
        import anthropic
    except ImportError:
        return "anthropic is not installed"
    if c.sign:
        return "its client takes no httpx.Auth"
    password = base64.b64encode(f"anyone:{c.password}".encode()).decode()
    headers = {"Authorization": f"Basic {password}"} if c.password else {}
    client = anthropic.Anthropic(base_url=c.url, api_key=c.key or "none", max_retries=0, default_headers=headers)
    answer = client.messages.create(model=c.model, max_tokens=64, messages=HELLO)
    assert answer.content[0].text and answer.usage.input_tokens and answer.stop_reason in ("end_turn", "max_tokens"), answer
    with client.messages.stream(model=c.model, max_tokens=64, messages=HELLO, system="Be brief") as stream:
        assert "".join(stream.text_stream) == stream.get_final_text()
    tool = {"name": "get_weather", "input_schema": TOOL["function"]["parameters"]}
    called = client.messages.create(model=c.model, max_tokens=64, messages=ASK, tools=[tool])
    use = [block for block in called.content if block.type == "tool_use"]
    assert use[0].input["city"] == "Paris" and called.stop_reason == "tool_use", called
    if c.is_direct:
        # Ollama has no such route.
        return None
    count = client.messages.count_tokens(model=c.model, messages=HELLO, system="Be brief")
    assert 5 < count.input_tokens < 100, count


# ---- langchain


@check
def langchain(c):
    """langchain-ollama: chat, stream, tools, structured output, embeddings"""
    try:
        import langchain_ollama
    except ImportError:
        return "langchain-ollama is not installed"
    chat = langchain_ollama.ChatOllama(model=c.model, base_url=c.url, client_kwargs=c.options)
    answer = chat.invoke("Say hello to the tide")
    assert answer.content and answer.usage_metadata["output_tokens"], answer
    assert "".join(part.content for part in chat.stream("Say hello to the tide"))
    called = chat.bind_tools([TOOL]).invoke(ASK[0]["content"])
    assert called.tool_calls[0]["args"]["city"] == "Paris", called
    person = chat.with_structured_output(SCHEMA | {"title": "Person", "description": "A person"}, method="json_schema")
    assert person.invoke("A person")["age"] >= 18
    embed = langchain_ollama.OllamaEmbeddings(
        model=c.embed_model, base_url=c.url, client_kwargs=c.options)
    assert len(embed.embed_documents(["a", "b"])) == 2 and embed.embed_query("a")


# ---- the notes as a model: the gateway has a note that answers NOTES

NOTES = [{"role": "user", "content": "Who repaired the harbour gauge?"}]
SOURCE = "[1] gauge"


def follows(first):
    """The conversation with an answer and another question."""
    return [*NOTES, {"role": "assistant", "content": first}, {"role": "user", "content": "And when was it?"}]


@check
def notes_ollama(c):
    """notes: ollama, listed, shown, whole and as a stream, and a second question"""
    names = [m.model for m in c.ollama.list().models]
    assert "notes" in names and f"notes+{c.model}:latest" in names, names
    assert c.ollama.show("notes").capabilities == ["completion", "tools"]
    whole = c.ollama.chat("notes", NOTES)
    assert SOURCE in whole.message.content and whole.eval_count, whole
    parts = list(c.ollama.chat(f"notes+{c.model}", follows(whole.message.content), stream=True))
    assert parts[-1].done and SOURCE in "".join(p.message.content for p in parts), parts[-1]
    assert SOURCE in c.ollama.generate("notes", NOTES[0]["content"]).response
    thinker = f"notes+{c.thinking_model}"
    assert c.ollama.show(thinker).capabilities == ["completion", "tools", "thinking"]
    thought = c.ollama.chat(thinker, NOTES, think=True).message
    assert thought.thinking and SOURCE in thought.content, thought
    again = list(c.ollama.chat(thinker, [*NOTES, thought, {"role": "user", "content": "And when was it?"}], stream=True))
    assert any(p.message.thinking for p in again) and SOURCE in "".join(p.message.content for p in again), again[-1]
    try:
        c.ollama.show("notes:nothing")
    except ollama.ResponseError as error:
        assert error.status_code == 404, error
    else:
        raise AssertionError("no error")


@check
def notes_openai(c):
    """notes: openai, completions with annotations, responses that follow each other"""
    assert "notes" in [m.id for m in c.openai.models.list()] and c.openai.models.retrieve("notes").owned_by == "selene"
    message = c.openai.chat.completions.create(model="notes", messages=NOTES).choices[0].message
    assert SOURCE in message.content, message
    cited = message.annotations[0].url_citation
    assert cited.title == "gauge" and message.content[cited.start_index:cited.end_index] == "[1]", cited
    stream = list(c.openai.chat.completions.create(
        model="notes", messages=follows(message.content), stream=True, stream_options={"include_usage": True}))
    assert SOURCE in "".join(p.choices[0].delta.content or "" for p in stream if p.choices), stream
    assert stream[-1].usage.prompt_tokens
    thinker = f"notes+{c.thinking_model}"
    thought = c.openai.chat.completions.create(model=thinker, messages=NOTES).choices[0].message
    assert thought.reasoning_content and SOURCE in thought.content, thought
    still = c.openai.chat.completions.create(model=thinker, messages=NOTES, reasoning_effort="none").choices[0].message
    assert not getattr(still, "reasoning_content", None), still
    reasoned = c.openai.responses.create(model=thinker, input=NOTES[0]["content"])
    assert [item.type for item in reasoned.output] == ["reasoning", "message"], reasoned
    assert reasoned.output[0].summary[0].text and SOURCE in reasoned.output_text, reasoned
    first = c.openai.responses.create(model="notes", input=NOTES[0]["content"])
    assert SOURCE in first.output_text and first.output[0].content[0].annotations[0].title == "gauge", first
    with c.openai.responses.stream(model="notes", input="And when was it?", previous_response_id=first.id) as events:
        kinds = [event.type for event in events]
        last = events.get_final_response()
    assert kinds[0] == "response.created" and kinds[-1] == "response.completed", kinds
    assert SOURCE in last.output_text and last.usage.output_tokens, last
    try:
        c.openai.chat.completions.create(model="notes:nothing", messages=NOTES)
    except openai.NotFoundError as error:
        assert "notes:nothing" in error.message, error
    else:
        raise AssertionError("no error")


@check
def notes_anthropic(c):
    """notes: anthropic, with citations of search results"""
    try:
        import anthropic
    except ImportError:
        return "anthropic is not installed"
    client = anthropic.Anthropic(base_url=c.url, api_key=c.key or "none", max_retries=0)
    answer = client.messages.create(model="notes", max_tokens=64, messages=NOTES)
    block = answer.content[0]
    assert SOURCE in block.text and answer.stop_reason == "end_turn" and answer.usage.input_tokens, answer
    assert block.citations[0].type == "search_result_location" and block.citations[0].title == "gauge", block
    with client.messages.stream(model="notes", max_tokens=64, messages=follows(block.text)) as stream:
        assert SOURCE in "".join(stream.text_stream)
        assert stream.get_final_message().content[0].citations[0].title == "gauge"
    thinks = {"model": f"notes+{c.thinking_model}", "max_tokens": 2048, "thinking": {"type": "enabled", "budget_tokens": 1024}}
    thought = client.messages.create(messages=NOTES, **thinks)
    assert [b.type for b in thought.content] == ["thinking", "text"] and thought.content[0].thinking, thought
    again = [*NOTES, {"role": "assistant", "content": thought.content}, {"role": "user", "content": "And when was it?"}]
    with client.messages.stream(messages=again, **thinks) as stream:
        final = stream.get_final_message()
    assert [b.type for b in final.content] == ["thinking", "text"] and SOURCE in final.content[1].text, final


@check
def notes_tools(c):
    """notes: ollama, openai and anthropic, with a tool of the program's own"""
    answer = c.ollama.chat("notes", ASK, tools=[TOOL]).message
    assert answer.tool_calls[0].function.name == "get_weather" and not answer.content, answer
    result = {"role": "tool", "tool_name": "get_weather", "content": "18 degrees"}
    assert "18 degrees" in c.ollama.chat("notes", [*ASK, answer, result], tools=[TOOL]).message.content

    create = c.openai.chat.completions.create
    choice = create(model="notes", messages=ASK, tools=[TOOL]).choices[0]
    called = choice.message.tool_calls[0]
    assert choice.finish_reason == "tool_calls" and called.function.name == "get_weather", choice
    result = {"role": "tool", "tool_call_id": called.id, "content": "18 degrees"}
    stream = create(model="notes", messages=[*ASK, choice.message, result], tools=[TOOL], stream=True)
    assert "18 degrees" in "".join(p.choices[0].delta.content or "" for p in stream if p.choices)

    function = {"type": "function", **TOOL["function"]}
    first = c.openai.responses.create(model="notes", input=ASK, tools=[function])
    call = next(item for item in first.output if item.type == "function_call")
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "18 degrees"}
    last = c.openai.responses.create(model="notes", input=[*ASK, *first.output, result], tools=[function])
    assert "18 degrees" in last.output_text, last

    try:
        import anthropic
    except ImportError:
        return "anthropic is not installed"
    client = anthropic.Anthropic(base_url=c.url, api_key=c.key or "none", max_retries=0)
    tool = {"name": "get_weather", "input_schema": TOOL["function"]["parameters"]}
    with client.messages.stream(model="notes", max_tokens=64, messages=ASK, tools=[tool]) as stream:
        used = stream.get_final_message()
    block = used.content[-1]
    assert used.stop_reason == "tool_use" and block.name == "get_weather" and block.input["city"] == "Paris", used
    result = {"type": "tool_result", "tool_use_id": block.id, "content": "18 degrees"}
    told = [*ASK, {"role": "assistant", "content": used.content}, {"role": "user", "content": [result]}]
    final = client.messages.create(model="notes", max_tokens=64, messages=told, tools=[tool])
    assert "18 degrees" in final.content[0].text, final


@check
def notes_langchain(c):
    """notes: langchain-ollama"""
    try:
        import langchain_ollama
    except ImportError:
        return "langchain-ollama is not installed"
    chat = langchain_ollama.ChatOllama(
        model="notes", base_url=c.url, client_kwargs=c.options, validate_model_on_init=True)
    assert SOURCE in chat.invoke(NOTES[0]["content"]).content
    assert SOURCE in "".join(part.content for part in chat.stream(NOTES[0]["content"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--key", default="")
    parser.add_argument("--password", default="", help="a key to send as the password of Basic")
    parser.add_argument("--sign", default="", help="the file of a private Ed25519 key to sign with")
    parser.add_argument("--model", default="llama3.2")
    parser.add_argument("--thinking-model", default="qwen3:0.6b")
    parser.add_argument("--embed-model", default="nomic-embed-text")
    parser.add_argument("--admin", action="store_true", help="also pull, push, create, copy and delete models")
    parser.add_argument("--direct", dest="is_direct", action="store_true", help="no gateway is in between")
    parser.add_argument("--notes", action="store_true", help="also ask the notes, which have one titled gauge")
    parser.add_argument("--only", default="", help="run only checks whose name contains this text")
    c = parser.parse_args()
    c.url = c.url.rstrip("/")
    c.auth = Signing(c.sign) if c.sign else httpx.BasicAuth("anyone", c.password) if c.password else None
    c.options = {"auth": c.auth} if c.auth else {"headers": {"Authorization": f"Bearer {c.key}"} if c.key else {}}
    c.ollama = ollama.Client(c.url, **c.options)
    web = httpx.Client(auth=c.auth) if c.auth else None
    c.openai = openai.OpenAI(base_url=c.url + "/v1", api_key=c.key or "none", max_retries=0, http_client=web)
    failures = 0
    for function in CHECKS:
        name = (function.__doc__ or function.__name__).splitlines()[0]
        if c.only and c.only not in name:
            continue
        if "(admin)" in name and not c.admin or name.startswith("notes:") and not c.notes:
            print(f"skip  {name}")
            continue
        try:
            result = function(c)
            if asyncio.iscoroutine(result):
                result = asyncio.run(result)
            print(f"skip  {name}: {result}" if result else f"ok    {name}", flush=True)
        except Exception:
            failures += 1
            print(f"FAIL  {name}\n{traceback.format_exc(limit=-2)}", flush=True)
    print(f"{failures} failed" if failures else "all passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
