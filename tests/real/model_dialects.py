"""The four APIs that agents speak: how a request reads and how an answer is written, streaming or not."""

import itertools
import json
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from model_script import Asked, Call, Fail, Message, Say

READ, WRITTEN = 1200, 34  #: tokens of every answer
Event = tuple[str, Any]  #: a name, empty where the API has none, and what goes with it
Sayable = Say | Call


_numbers = itertools.count(1)


def fresh(kind: str) -> str:
    """An id as the APIs give them: agents take two calls of one id for the same call."""
    return f"{kind}_{next(_numbers)}"


class Dialect(Protocol):
    def read(self, body: Any) -> Asked: ...

    def streaming(self, path: str, body: Any) -> bool: ...

    def opening(self, text: str) -> Iterator[Event]:
        """The beginning of an answer whose end never comes."""
        ...

    def whole(self, reply: Sayable) -> Any:
        """The answer to a request that wants no stream."""
        ...

    def events(self, reply: Sayable) -> Iterator[Event]: ...

    def error(self, fail: Fail) -> Any: ...

    def overflow(self) -> Fail: ...


def texts(content: Any) -> str:
    """All words of a message's content, which is a text or a list of blocks."""
    if isinstance(content, str):
        return content
    return "\n".join(
        texts(block.get("text") or block.get("content") or "") for block in content or () if isinstance(block, dict)
    )


class Messages:
    """Anthropic's Messages API."""

    def read(self, body: Any) -> Asked:
        told = [m for message in body["messages"] for m in self._told(message)]
        return Asked("messages", tuple(told), tuple(t.get("name", "") for t in body.get("tools") or ()), body)

    def _told(self, message: Any) -> Iterator[Message]:
        content, who = message["content"], {"assistant": "agent"}.get(message["role"], message["role"])
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for block in blocks:
            if block["type"] == "tool_result":
                yield Message("tool", texts(block.get("content")))
            elif block["type"] == "tool_use":
                yield Message(who, json.dumps(block["input"]))
            else:
                yield Message(who, block.get("text", ""))

    def streaming(self, path: str, body: Any) -> bool:
        return bool(body.get("stream"))

    def _block(self, reply: Sayable) -> Any:
        if isinstance(reply, Say):
            return {"type": "text", "text": reply.text}
        return {"type": "tool_use", "id": fresh("toolu"), "name": reply.tool, "input": dict(reply.arguments)}

    def whole(self, reply: Sayable) -> Any:
        stop = "end_turn" if isinstance(reply, Say) else "tool_use"
        usage = {"input_tokens": READ, "output_tokens": WRITTEN}
        return {**self._message(), "content": [self._block(reply)], "stop_reason": stop, "usage": usage}

    def _message(self) -> dict[str, Any]:
        usage = {"input_tokens": READ, "output_tokens": 1}
        return {
            "id": fresh("msg"), "type": "message", "role": "assistant", "model": "scripted", "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": usage,
        }  # fmt: skip

    def opening(self, text: str) -> Iterator[Event]:
        yield "message_start", {"type": "message_start", "message": self._message()}
        start = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        yield "content_block_start", start
        delta = {"type": "text_delta", "text": text}
        yield "content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}

    def events(self, reply: Sayable) -> Iterator[Event]:
        if isinstance(reply, Say):
            yield from self.opening(reply.text)
        else:
            yield "message_start", {"type": "message_start", "message": self._message()}
            start = {"type": "content_block_start", "index": 0, "content_block": {**self._block(reply), "input": {}}}
            yield "content_block_start", start
            for part in pieces(json.dumps(reply.arguments)):
                delta = {"type": "input_json_delta", "partial_json": part}
                yield "content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": 0}
        stop = "end_turn" if isinstance(reply, Say) else "tool_use"
        delta = {"stop_reason": stop, "stop_sequence": None}
        yield "message_delta", {"type": "message_delta", "delta": delta, "usage": {"output_tokens": WRITTEN}}
        yield "message_stop", {"type": "message_stop"}

    def error(self, fail: Fail) -> Any:
        return {"type": "error", "error": {"type": fail.kind, "message": fail.message, **fail.more}}

    def overflow(self) -> Fail:
        return Fail(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")


class Responses:
    """OpenAI's Responses API."""

    def read(self, body: Any) -> Asked:
        given = body.get("input") or []
        items = [{"type": "message", "role": "user", "content": given}] if isinstance(given, str) else given
        tools = tuple(t.get("name") or t.get("type", "") for t in body.get("tools") or ())
        return Asked("responses", tuple(map(self._told, items)), tools, body)

    def _told(self, item: Any) -> Message:
        kind = item.get("type", "message")
        if kind.endswith("_output"):
            return Message("tool", texts(item.get("output")))
        if kind.endswith("_call"):
            return Message("agent", str(item.get("arguments") or item.get("input")))
        return Message({"assistant": "agent"}.get(item.get("role", ""), item.get("role", "")), texts(item["content"]))

    def streaming(self, path: str, body: Any) -> bool:
        return bool(body.get("stream"))

    def _item(self, reply: Sayable) -> Any:
        if isinstance(reply, Say):
            content = [{"type": "output_text", "text": reply.text, "annotations": []}]
            return {
                "type": "message",
                "id": fresh("msg"),
                "role": "assistant",
                "status": "completed",
                "content": content,
            }
        arguments = json.dumps(reply.arguments)
        return {
            "type": "function_call", "id": fresh("fc"), "call_id": fresh("call"), "name": reply.tool, "arguments": arguments,
            "status": "completed",
        }  # fmt: skip

    def whole(self, reply: Sayable) -> Any:
        usage = {
            "input_tokens": READ, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": WRITTEN,
            "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": READ + WRITTEN,
        }  # fmt: skip
        return {"id": fresh("resp"), "object": "response", "status": "completed", "model": "scripted",
                "created_at": 1, "output": [self._item(reply)], "usage": usage}  # fmt: skip

    def opening(self, text: str) -> Iterator[Event]:
        yield from self._begun(self.whole(Say(text)))

    def _begun(self, whole: Any) -> Iterator[Event]:
        (item,) = whole["output"]
        begun = {**whole, "status": "in_progress", "output": [], "usage": None}
        yield "response.created", {"type": "response.created", "response": begun}
        said = item["type"] == "message"
        empty = {"content": []} if said else {"arguments": ""}
        added = "response.output_item.added"
        yield added, {"type": added, "output_index": 0, "item": {**item, **empty, "status": "in_progress"}}
        delta = "response.output_text.delta" if said else "response.function_call_arguments.delta"
        for part in pieces(item["content"][0]["text"] if said else item["arguments"]):
            yield delta, {"type": delta, "item_id": item["id"], "output_index": 0, "content_index": 0, "delta": part}

    def events(self, reply: Sayable) -> Iterator[Event]:
        whole = self.whole(reply)
        yield from self._begun(whole)
        done = "response.output_item.done"
        yield done, {"type": done, "output_index": 0, "item": whole["output"][0]}
        yield "response.completed", {"type": "response.completed", "response": whole}

    def error(self, fail: Fail) -> Any:
        return {"error": {"type": fail.kind, "code": fail.kind, "message": fail.message, **fail.more}}

    def overflow(self) -> Fail:
        told = "Your input exceeds the context window of this model. Please adjust your input and try again."
        return Fail(400, "context_length_exceeded", told)


class Chat:
    """OpenAI's Chat Completions API."""

    def read(self, body: Any) -> Asked:
        tools = tuple(tool["function"]["name"] for tool in body.get("tools") or ())
        return Asked("chat", tuple(map(self._told, body["messages"])), tools, body)

    def _told(self, message: Any) -> Message:
        who = {"assistant": "agent"}.get(message["role"], message["role"])
        calls = "".join(call["function"]["arguments"] for call in message.get("tool_calls") or ())
        return Message(who, texts(message.get("content")) + calls)

    def streaming(self, path: str, body: Any) -> bool:
        return bool(body.get("stream"))

    def _calls(self, reply: Call) -> list[Any]:
        function = {"name": reply.tool, "arguments": json.dumps(reply.arguments)}
        return [{"index": 0, "id": fresh("call"), "type": "function", "function": function}]

    def _chunk(self, delta: Any, stop: str | None = None, **more: Any) -> Event:
        choice = {"index": 0, "delta": delta, "finish_reason": stop}
        base = {"id": "chat_1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
        return "", {**base, "choices": [choice], **more}

    def whole(self, reply: Sayable) -> Any:
        said = (
            {"content": reply.text} if isinstance(reply, Say) else {"content": None, "tool_calls": self._calls(reply)}
        )
        stop = "stop" if isinstance(reply, Say) else "tool_calls"
        choice = {"index": 0, "message": {"role": "assistant", **said}, "finish_reason": stop}
        return {"id": "chat_1", "object": "chat.completion", "created": 1, "model": "scripted",
                "choices": [choice], "usage": self._usage()}  # fmt: skip

    def _usage(self) -> Any:
        return {"prompt_tokens": READ, "completion_tokens": WRITTEN, "total_tokens": READ + WRITTEN}

    def opening(self, text: str) -> Iterator[Event]:
        yield self._chunk({"role": "assistant", "content": text})

    def events(self, reply: Sayable) -> Iterator[Event]:
        if isinstance(reply, Say):
            yield from self.opening(reply.text)
            yield self._chunk({}, "stop", usage=self._usage())
        else:
            yield self._chunk({"role": "assistant", "content": None, "tool_calls": self._calls(reply)})
            yield self._chunk({}, "tool_calls", usage=self._usage())
        yield "", None

    def error(self, fail: Fail) -> Any:
        return {"error": {"type": fail.kind, "code": fail.kind, "message": fail.message, **fail.more}}

    def overflow(self) -> Fail:
        told = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
        return Fail(400, "context_length_exceeded", told)


class Gemini:
    """Google's generateContent API."""

    def read(self, body: Any) -> Asked:
        told = [message for content in body["contents"] for message in self._told(content)]
        declared = (tool.get("functionDeclarations") or () for tool in body.get("tools") or ())
        return Asked("gemini", tuple(told), tuple(f["name"] for tools in declared for f in tools), body)

    def _told(self, content: Any) -> Iterator[Message]:
        who = "agent" if content.get("role") == "model" else "user"
        for part in content["parts"]:
            if "functionResponse" in part:
                yield Message("tool", json.dumps(part["functionResponse"].get("response")))
            elif "functionCall" in part:
                yield Message(who, json.dumps(part["functionCall"].get("args")))
            else:
                yield Message(who, part.get("text", ""))

    def streaming(self, path: str, body: Any) -> bool:
        return ":streamGenerateContent" in path

    def _answer(self, part: Any, stop: str | None = "STOP") -> Any:
        candidate = {"content": {"role": "model", "parts": [part]}, "index": 0}
        usage = {"promptTokenCount": READ, "candidatesTokenCount": WRITTEN, "totalTokenCount": READ + WRITTEN}
        return {"candidates": [{**candidate, "finishReason": stop} if stop else candidate], "usageMetadata": usage,
                "modelVersion": "scripted"}  # fmt: skip

    def whole(self, reply: Sayable) -> Any:
        if isinstance(reply, Say):
            return self._answer({"text": reply.text})
        return self._answer({"functionCall": {"name": reply.tool, "args": dict(reply.arguments)}})

    def opening(self, text: str) -> Iterator[Event]:
        yield "", self._answer({"text": text}, None)

    def events(self, reply: Sayable) -> Iterator[Event]:
        yield "", self.whole(reply)

    def error(self, fail: Fail) -> Any:
        return {"error": {"code": fail.status, "message": fail.message, "status": fail.kind, **fail.more}}

    def overflow(self) -> Fail:
        told = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
        return Fail(400, "INVALID_ARGUMENT", told)


#: What a path ends with or contains tells the API.
DIALECTS: tuple[tuple[str, Dialect], ...] = (
    ("/messages", Messages()),
    ("/responses", Responses()),
    ("/chat/completions", Chat()),
    ("enerateContent", Gemini()),
)


def spoken_at(path: str) -> Dialect | None:
    return next((dialect for part, dialect in DIALECTS if part in path.partition("?")[0]), None)


def lines(events: Iterable[Event]) -> Iterator[bytes]:
    """Server-sent events; the one without content is the end mark of Chat Completions."""
    for name, content in events:
        head = f"event: {name}\n" if name else ""
        yield f"{head}data: {'[DONE]' if content is None else json.dumps(content)}\n\n".encode()


def pieces(text: str, size: int = 40) -> Iterator[str]:
    yield from (text[at : at + size] for at in range(0, len(text), size))
