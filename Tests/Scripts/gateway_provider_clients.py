"""The official clients of OpenAI, Anthropic and Ollama through a gateway to the synthetic provider, as `provider/model`: part of
`make test-clients`. The clients know the gateway's key only.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import anthropic
import ollama
import openai

import stand

KEY = "sk-fake-0123456789abcdef"
SCHEMA = {"type": "object", "properties": {"from": {"type": "integer"}, "to": {"type": "integer"}}}
HELLO = [{"role": "user", "content": "Hello"}]
QUESTION = [{"role": "user", "content": "Use the tool find_text"}]


class Checks:
    """The checks, with what they share."""

    def __init__(self, url, key):
        self.openai = openai.OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0)
        # This client sends its key as x-api-key.
        self.anthropic = anthropic.Anthropic(base_url=url, api_key=key, max_retries=0)
        self.ollama = ollama.Client(host=url, headers={"Authorization": f"Bearer {key}"})
        self.stranger = anthropic.Anthropic(base_url=url, api_key="slk_wrong", max_retries=0)

    def check_openai_text(self):
        whole = self.openai.chat.completions.create(model="gpu/small", messages=HELLO)
        assert whole.choices[0].message.content.startswith("Grüße 🎻") and whole.usage.total_tokens == 13
        chunks = list(self.openai.chat.completions.create(
            model="gpu/small", messages=HELLO, stream=True, max_completion_tokens=3,
            stream_options={"include_usage": True}))
        text = "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)
        assert text == "Grüße 🎻 日本 " and chunks[-1].usage.completion_tokens == 3

    def check_openai_tools(self):
        tools = [{"type": "function", "function": {"name": "find_text", "parameters": SCHEMA}}]
        with self.openai.chat.completions.stream(model="gpu/thinker", messages=QUESTION, tools=tools) as stream:
            message = stream.get_final_completion().choices[0].message
        assert json.loads(message.tool_calls[0].function.arguments) == {"from": 1, "to": 1}

    def check_openai_embeddings(self):
        rows = self.openai.embeddings.create(model="gpu/small", input=["a", "b"]).data
        assert sorted(row.index for row in rows) == [0, 1] and len(rows[0].embedding) == 8

    def check_openai_speech(self):
        with self.openai.audio.speech.with_streaming_response.create(
                model="gpu/small", voice="alloy", input="Hello") as reply:
            sound = b"".join(reply.iter_bytes())
        assert len(sound) == 5000 and sound[:3] == bytes([128, 135, 142]), sound[:8]

    def check_openai_errors(self):
        error = raised(openai.NotFoundError, lambda: self.openai.chat.completions.create(
            model="gpu/echo", messages=HELLO))
        assert error.code == "model_not_found" and KEY not in str(error)
        error = raised(openai.BadRequestError, lambda: self.openai.chat.completions.create(
            model="claude/small", messages=HELLO, n=2))
        assert "\"n\"" in str(error)

    def check_openai_models(self):
        names = {model.id for model in self.openai.models.list()}
        assert {"gpu/small", "claude/thinker"} <= names, names

    def check_anthropic_text(self):
        with self.anthropic.messages.stream(model="claude/small", max_tokens=64, messages=HELLO) as stream:
            text = "".join(stream.text_stream)
            message = stream.get_final_message()
        assert text.startswith("Grüße 🎻") and message.stop_reason == "end_turn" and message.usage.output_tokens > 0
        whole = self.anthropic.messages.create(model="claude/small", max_tokens=64, messages=HELLO)
        assert whole.content[0].text == text

    def check_anthropic_tools(self):
        tools = [{"name": "find_text", "input_schema": SCHEMA}]
        message = self.anthropic.messages.create(
            model="claude/small", max_tokens=64, messages=QUESTION, tools=tools)
        assert message.stop_reason == "tool_use" and message.content[-1].name == "find_text"

    def check_anthropic_errors(self):
        def ask(client):
            return client.messages.create(model="claude/echo", max_tokens=8, messages=HELLO)

        assert KEY not in str(raised(anthropic.NotFoundError, lambda: ask(self.anthropic)))
        raised(anthropic.AuthenticationError, lambda: ask(self.stranger))


    def check_translated_openai_over_anthropic(self):
        whole = self.openai.chat.completions.create(model="claude/small", messages=HELLO)
        assert whole.choices[0].message.content.startswith("Grüße 🎻") and whole.usage.completion_tokens == 12
        tools = [{"type": "function", "function": {"name": "find_text", "parameters": SCHEMA}}]
        with self.openai.chat.completions.stream(
                model="claude/thinker", messages=QUESTION, tools=tools, stream_options={"include_usage": True}) as stream:
            message = stream.get_final_completion().choices[0].message
        assert json.loads(message.tool_calls[0].function.arguments) == {"from": 1, "to": 1}
        error = raised(openai.NotFoundError, lambda: self.openai.chat.completions.create(
            model="claude/echo", messages=HELLO))
        assert KEY not in str(error) and error.code == "model_not_found"
        assert self.openai.models.retrieve("claude/thinker").owned_by == "claude"

    def check_translated_responses(self):
        for model in ("gpu/thinker", "claude/thinker"):
            whole = self.openai.responses.create(model=model, input="Hello")
            assert whole.output_text.startswith("Grüße 🎻") and whole.status == "completed"
            tools = [{"type": "function", "name": "find_text", "parameters": SCHEMA, "strict": False}]
            with self.openai.responses.stream(
                    model=model, input="Use the tool find_text", tools=tools, reasoning={"effort": "low"}) as stream:
                names = [event.type for event in stream]
                answer = stream.get_final_response()
            assert names[0] == "response.created" and names[-1] == "response.completed", names
            call = [item for item in answer.output if item.type == "function_call"][0]
            assert call.name == "find_text" and json.loads(call.arguments) == {"from": 1, "to": 1}
            assert any(item.type == "reasoning" for item in answer.output)
            history = [{"role": "user", "content": "Use the tool find_text"},
                       {"type": "function_call", "call_id": call.call_id, "name": call.name, "arguments": call.arguments},
                       {"type": "function_call_output", "call_id": call.call_id, "output": "found"}]
            answer = self.openai.responses.create(model=model, input=history, tools=tools)
            assert answer.output_text == "The tools say: found", answer.output_text

    def check_translated_anthropic_over_openai(self):
        with self.anthropic.messages.stream(
                model="gpu/thinker", max_tokens=4096, messages=HELLO,
                thinking={"type": "enabled", "budget_tokens": 1024}) as stream:
            text = "".join(stream.text_stream)
            message = stream.get_final_message()
        assert text.startswith("Grüße 🎻") and message.stop_reason == "end_turn", message
        assert [block.type for block in message.content] == ["thinking", "text"]
        tools = [{"name": "find_text", "input_schema": SCHEMA}]
        message = self.anthropic.messages.create(
            model="gpu/small", max_tokens=64, messages=QUESTION, tools=tools)
        call = message.content[-1]
        assert message.stop_reason == "tool_use" and call.input == {"from": 1, "to": 1}
        answer = self.anthropic.messages.create(
            model="gpu/small", max_tokens=64, tools=tools, messages=[
                *QUESTION, {"role": "assistant", "content": message.content},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "found"}]}])
        assert answer.content[0].text == "The tools say: found"
        raised(anthropic.NotFoundError, lambda: self.anthropic.messages.create(
            model="gpu/echo", max_tokens=8, messages=HELLO))

    def check_translated_ollama(self):
        assert {"gpu/small", "claude/thinker"} <= {model.model for model in self.ollama.list().models}
        assert "tools" in self.ollama.show("claude/small").capabilities
        for model in ("gpu/thinker", "claude/thinker"):
            whole = self.ollama.chat(model=model, messages=HELLO)
            assert whole.message.content.startswith("Grüße 🎻") and whole.eval_count > 0 and whole.done
            parts = list(self.ollama.chat(model=model, messages=HELLO, think=True, stream=True))
            assert "".join(part.message.thinking or "" for part in parts).startswith("The question"), parts
            assert parts[-1].done and parts[-1].total_duration > 0
            tools = [{"type": "function", "function": {"name": "find_text", "parameters": SCHEMA}}]
            call = self.ollama.chat(model=model, messages=QUESTION, tools=tools).message.tool_calls[0]
            assert call.function.arguments == {"from": 1, "to": 1}
            said = {"role": "assistant", "content": "", "tool_calls": [call.model_dump()]}
            answer = self.ollama.chat(model=model, tools=tools, messages=[
                *QUESTION, said, {"role": "tool", "tool_name": "find_text", "content": "found"}])
            assert answer.message.content == "The tools say: found"
            assert self.ollama.generate(model=model, prompt="Hello").response.startswith("Grüße 🎻")
        assert raised(ollama.ResponseError, lambda: self.ollama.chat(model="gpu/echo", messages=HELLO)).status_code == 404


def raised(kind, action):
    """Returns the error of an action; anything else fails."""
    try:
        action()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")


def main():
    """Starts the synthetic provider and a gateway in front of it, and runs all checks."""
    with tempfile.TemporaryDirectory(prefix="selene-providers-") as folder:
        log = pathlib.Path(folder) / "log"
        with log.open("wb") as output:
            process = subprocess.Popen([stand.BIN / "fake-providers", "--key", KEY], stdout=output, stderr=output)
        try:
            url = stand.listening(process, log)
            providers = {
                "gpu": {"kind": "openai", "url": f"{url}/v1", "key_env": "FAKE_PROVIDER_KEY", "thinking": True},
                "claude": {"kind": "anthropic", "url": url, "key_env": "FAKE_PROVIDER_KEY"}}
            settings = {"SELENE_PROVIDERS": json.dumps(providers), "FAKE_PROVIDER_KEY": KEY}
            with stand.Stand(settings=settings) as gateway:
                checks = Checks(gateway.url, gateway.key("client", "llm"))
                for name in sorted(name for name in dir(checks) if name.startswith("check_")):
                    getattr(checks, name)()
                    print(f"ok   {name.removeprefix('check_').replace('_', ' ')}", flush=True)
                assert KEY not in pathlib.Path(gateway.folder / "gateway.log").read_text()
        finally:
            stand.stop(process)
    return 0


if __name__ == "__main__":
    sys.exit(main())
