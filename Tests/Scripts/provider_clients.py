"""The official clients of OpenAI and Anthropic against the synthetic provider, to prove that its streams, tool calls,
thinking and errors are those of the real services: `make test-clients`.
"""
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.request
import wave

import anthropic
import openai

import stand

KEY = "sk-fake-0123456789abcdef"
SCHEMA = {"type": "object", "properties": {"from": {"type": "integer"}, "to": {"type": "integer"}}}
NAMES = ["find_text", "read_pages"]
QUESTION = "Use the tools find_text and read_pages"


class Checks:
    """The checks, with what they share."""

    def __init__(self, url):
        self.url = url
        self.openai = openai.OpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=2)
        self.anthropic = anthropic.Anthropic(base_url=url, api_key=KEY, max_retries=2)

    def faults(self, *texts):
        """Replaces the provider's faults."""
        request = urllib.request.Request(f"{self.url}/_faults", json.dumps(texts).encode())
        urllib.request.urlopen(request, timeout=10).close()

    def check_openai_text(self):
        stream = self.openai.chat.completions.create(
            model="small", messages=[{"role": "user", "content": "Hello"}], stream=True, max_completion_tokens=3,
            stream_options={"include_usage": True})
        chunks = list(stream)
        choices = [choice for chunk in chunks for choice in chunk.choices]
        assert "".join(choice.delta.content or "" for choice in choices) == "Grüße 🎻 日本 "
        assert choices[-1].finish_reason == "length"
        assert chunks[-1].usage.completion_tokens == 3 and chunks[-1].usage.prompt_tokens == 1
        whole = self.openai.chat.completions.create(model="small", messages=[{"role": "user", "content": "Hello"}])
        assert whole.choices[0].message.content.startswith("Grüße 🎻") and whole.usage.total_tokens == 13

    def check_openai_speech(self):
        heard = self.openai.audio.transcriptions.create(
            model="small", file=("speech.wav", wav(8000), "audio/wav"), language="de")
        assert heard.text.strip() == "8000 samples at 16000 Hz in de" and heard.usage.output_tokens == 5, heard
        error = raised(openai.BadRequestError, lambda: self.openai.audio.transcriptions.create(
            model="small", file=("speech.wav", b"not a sound", "audio/wav")))
        assert "Invalid file format" in str(error)

    def check_openai_tools(self):
        tools = [{"type": "function", "function": {"name": name, "parameters": SCHEMA}} for name in NAMES]
        messages = [{"role": "user", "content": QUESTION}]
        # The client's own reader joins the pieces of the calls.
        with self.openai.chat.completions.stream(model="thinker", messages=messages, tools=tools) as stream:
            message = stream.get_final_completion().choices[0].message
        assert [call.function.name for call in message.tool_calls] == NAMES
        assert json.loads(message.tool_calls[1].function.arguments) == {"from": 1, "to": 1}
        messages.append({
            "role": "assistant", "content": None,
            "tool_calls": [{"id": call.id, "type": "function", "function": {
                "name": call.function.name, "arguments": call.function.arguments}} for call in message.tool_calls]})
        for call in message.tool_calls:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": call.function.name})
        answer = self.openai.chat.completions.create(model="small", messages=messages, tools=tools)
        assert answer.choices[0].message.content == "The tools say: find_text; read_pages"
        error = raised(openai.BadRequestError, lambda: self.openai.chat.completions.create(
            model="small", messages=messages[:-1], tools=tools))
        assert error.status_code == 400

    def check_openai_errors(self):
        def ask(**more):
            return list(self.openai.chat.completions.create(
                model=more.pop("model", "small"), messages=[{"role": "user", "content": "Hi"}], stream=True, **more))
        assert raised(openai.NotFoundError, lambda: ask(model="none")).code == "model_not_found"
        wrong = openai.OpenAI(base_url=f"{self.url}/v1", api_key="sk-wrong", max_retries=0)
        raised(openai.AuthenticationError, wrong.models.list)
        self.faults("busy=429:0")
        assert raised(openai.RateLimitError, ask).response.headers["retry-after"] == "0"
        self.faults("status=500#2")
        assert ask()
        self.faults("error-line=3")
        assert "The server had an error" in str(raised(openai.APIError, ask))
        self.faults("cut=3")
        raised(Exception, ask)
        self.faults()

    def check_openai_embeddings(self):
        texts = ["tide", "the sea"]
        rows = self.openai.embeddings.create(model="small", input=texts).data
        plain = self.openai.embeddings.create(model="small", input=texts, encoding_format="float").data
        by_index = [sorted(list(rows), key=lambda row: row.index) for rows in (rows, plain)]
        for left, right in zip(*by_index, strict=True):
            assert len(left.embedding) == 8
            assert all(abs(a - b) < 1e-6 for a, b in zip(left.embedding, right.embedding, strict=True))
        assert [model.id for model in self.openai.models.list()] == ["small", "thinker"]

    def check_anthropic_text(self):
        with self.anthropic.messages.stream(
                model="small", max_tokens=3, system="Be brief.", messages=[{"role": "user", "content": "Hello"}]) as s:
            text = "".join(s.text_stream)
            message = s.get_final_message()
        assert text == message.content[0].text == "Grüße 🎻 日本 "
        assert message.stop_reason == "max_tokens" and message.usage.output_tokens == 3
        assert message.usage.input_tokens + message.usage.cache_read_input_tokens == 3
        refused = self.anthropic.messages.create(
            model="small", max_tokens=100, messages=[{"role": "user", "content": "Please refuse"}])
        assert refused.stop_reason == "refusal"

    def check_anthropic_tools(self):
        tools = [{"name": name, "input_schema": SCHEMA} for name in NAMES]
        messages = [{"role": "user", "content": QUESTION}]

        def ask():
            with self.anthropic.messages.stream(
                    model="thinker", max_tokens=4096, tools=tools, messages=messages,
                    thinking={"type": "adaptive"}) as s:
                return s.get_final_message()
        message = ask()
        assert message.stop_reason == "tool_use"
        assert [block.type for block in message.content] == [
            "thinking", "redacted_thinking", "text", "tool_use", "tool_use"]
        assert message.content[0].thinking == "The question asks for thought 🤔." and message.content[0].signature
        calls = [block for block in message.content if block.type == "tool_use"]
        assert [call.name for call in calls] == NAMES and calls[1].input == {"from": 1, "to": 1}
        messages.append({"role": "assistant", "content": message.content})
        messages.append({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": call.id, "content": call.name} for call in calls]})
        answer = ask()
        assert answer.content[-1].text == "The tools say: find_text; read_pages"
        message.content[0].signature = "forged"
        assert "signature" in str(raised(anthropic.BadRequestError, ask))

    def check_anthropic_citations(self):
        passages = [{"type": "search_result", "source": f"passage-{number}", "title": "A title", "citations":
                     {"enabled": True}, "content": [{"type": "text", "text": text}]}
                    for number, text in ((4, "the sea is blue"), (7, "so is the sky"))]
        content = [*passages, {"type": "text", "text": "What do they say?"}]
        with self.anthropic.messages.stream(
                model="small", max_tokens=100, messages=[{"role": "user", "content": content}]) as s:
            blocks = s.get_final_message().content
        cited = [citation for block in blocks for citation in block.citations or []]
        assert [citation.type for citation in cited] == ["search_result_location"] * 2
        assert [citation.search_result_index for citation in cited] == [0, 1]
        assert [citation.source for citation in cited] == ["passage-4", "passage-7"]
        assert [citation.cited_text for citation in cited] == ["the sea is blue", "so is the sky"]

    def check_anthropic_errors(self):
        def ask(model="small"):
            with self.anthropic.messages.stream(
                    model=model, max_tokens=9, messages=[{"role": "user", "content": "Hi"}]) as s:
                return s.get_final_message()
        assert raised(anthropic.NotFoundError, lambda: ask("none")).body["error"]["type"] == "not_found_error"
        wrong = anthropic.Anthropic(base_url=self.url, api_key="sk-wrong", max_retries=0)
        raised(anthropic.AuthenticationError, lambda: wrong.models.list())
        self.faults("busy=429:0")
        raised(anthropic.RateLimitError, ask)
        self.faults("status=529")
        assert raised(anthropic.APIStatusError, ask).status_code == 529
        self.faults("status=529#2")
        assert ask().stop_reason in ("end_turn", "max_tokens")
        self.faults("error-line=4")
        assert "overloaded_error" in str(raised(anthropic.APIStatusError, ask))
        self.faults()

    def check_anthropic_models(self):
        assert [model.id for model in self.anthropic.models.list()] == ["small", "thinker"]
        model = self.anthropic.models.retrieve("thinker")
        assert model.max_input_tokens == 200_000 and model.capabilities.thinking.types.adaptive.supported


def wav(samples):
    """A WAV file of 16 kHz with so many samples."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16_000)
        sound.writeframes((bytes(range(256)) * (samples // 128 + 1))[:2 * samples])
    return file.getvalue()


def raised(kind, action):
    """Returns the error of an action; anything else fails."""
    try:
        action()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")


def main():
    """Starts the synthetic provider and runs all checks."""
    with tempfile.TemporaryDirectory(prefix="selene-providers-") as folder:
        log = pathlib.Path(folder) / "log"
        with log.open("wb") as output:
            process = subprocess.Popen([stand.BIN / "fake-providers", "--key", KEY], stdout=output, stderr=output)
        try:
            url = stand.listening(process, log)
            checks = Checks(url)
            for name in sorted(name for name in dir(checks) if name.startswith("check_")):
                getattr(checks, name)()
                print(f"ok   {name.removeprefix('check_').replace('_', ' ')}", flush=True)
        finally:
            stand.stop(process)
    return 0


if __name__ == "__main__":
    sys.exit(main())
