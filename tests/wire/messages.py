"""messages.py - build requests and read answers; no server, no process

Used through wire.py, which gives every name on.
"""

import base64
import collections
import json

MODERN = "2026-07-28"
LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26")
META = "io.modelcontextprotocol/"
CLIENT_INFO = {"name": "wire-test", "version": "1.0"}

# Members of params that Mcp-Name repeats, by method (protocol.md).
NAME_MEMBER = {
    "tools/call": "name", "prompts/get": "name", "resources/read": "uri",
    "tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId",
}

Request = collections.namedtuple("Request", "body headers")
Event = collections.namedtuple("Event", "id event data retry")


def header_value(text):
    """`text` as a header value: plain when it can be, else the sentinel form."""
    plain = text and text.strip() == text and all(
        0x20 <= ord(c) < 0x7f for c in text)
    if plain and not (text.startswith("=?base64?") and text.endswith("?=")):
        return text
    coded = base64.b64encode(text.encode("utf-8")).decode("ascii")
    return "=?base64?" + coded + "?="


def meta(version=MODERN, capabilities=None, info=CLIENT_INFO, **more):
    """The `_meta` that every modern request carries."""
    out = {META + "protocolVersion": version,
           META + "clientCapabilities": capabilities or {}}
    if info is not None:
        out[META + "clientInfo"] = info
    for key, value in more.items():
        out[key if key == "progressToken" else META + key] = value
    return out


def modern(method, params=None, id=1, capabilities=None, headers=None, **more):
    """A 2026-07-28 request: body with `_meta`, and all routing headers.

    `headers` are merged over the routing headers; a value of None removes one.
    `more` goes into `_meta`: progressToken as it is, the others (logLevel)
    with the prefix. id=None makes a notification.
    """
    params = dict(params or {})
    params["_meta"] = {**meta(capabilities=capabilities, **more),
                       **params.get("_meta", {})}
    body = {"jsonrpc": "2.0", "method": method, "params": params}
    if id is not None:
        body["id"] = id
    out = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
    name = params.get(NAME_MEMBER.get(method))
    if isinstance(name, str):
        out["Mcp-Name"] = header_value(name)
    out.update(headers or {})
    return Request(body, out)


def encode(body):
    """Bytes to send: bytes and text as they are, the rest as JSON."""
    if isinstance(body, bytes):
        return body
    if isinstance(body, str):
        return body.encode("utf-8")
    return json.dumps(body, separators=(",", ":")).encode("utf-8")


def parse_events(lines):
    """Yields an Event for each block of `lines` (text without line ends)."""
    fields = {}
    for line in lines:
        if line == "":
            if fields:
                yield Event(fields.get("id"), fields.get("event"),
                            fields.get("data"), fields.get("retry"))
            fields = {}
        elif not line.startswith(":"):
            key, _, value = line.partition(":")
            value = value[1:] if value.startswith(" ") else value
            if key == "data" and "data" in fields:
                value = fields["data"] + "\n" + value
            fields[key] = value


class Answer:
    """One HTTP response. `messages`: the JSON-RPC messages in it, in order,
    whether they came as one JSON body or as an event stream."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def type(self):
        return (self.headers.get("Content-Type") or "").split(";")[0].strip()

    @property
    def text(self):
        return self.body.decode("utf-8")

    @property
    def events(self):
        return list(parse_events(self.text.splitlines() + [""]))

    @property
    def messages(self):
        if self.type == "text/event-stream":
            return [json.loads(e.data) for e in self.events if e.data]
        return [json.loads(self.body)] if self.body else []

    @property
    def json(self):
        """The response message: the only one, or the last of the stream."""
        messages = self.messages
        if not messages:
            raise AssertionError("no message in " + repr(self))
        return messages[-1]

    @property
    def result(self):
        message = self.json
        if "result" not in message:
            raise AssertionError("no result in " + repr(self))
        return message["result"]

    @property
    def error(self):
        message = self.json
        if "error" not in message:
            raise AssertionError("no error in " + repr(self))
        return message["error"]

    def __repr__(self):
        return "<%s %s %r>" % (self.status, self.type, self.body[:2000])


class Stream:
    """A response read while it arrives. Iterate for Events; `message()` waits
    for the next JSON-RPC message. Close it to hang up."""

    def __init__(self, connection, response, take=None):
        self.connection, self.response, self._take = connection, response, take
        self.status, self.headers = response.status, response.headers
        self.comments = 0
        self._events = self._read_events()

    def _read_events(self):
        for event in parse_events(self._lines()):
            if event.data and self._take:
                self._take(event.data)
            yield event

    def _lines(self):
        while True:
            line = self.response.readline()
            if not line:
                return
            text = line.decode("utf-8").rstrip("\r\n")
            if text.startswith(":"):
                self.comments += 1
            yield text

    def __iter__(self):
        return self._events

    def message(self):
        """The next message, or None when the stream has ended."""
        for event in self._events:
            if event.data:
                return json.loads(event.data)
        return None

    def messages(self):
        """All messages up to the end of the stream."""
        return list(iter(self.message, None))

    def close(self):
        self.response.close()
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
