"""schemas.py - every message that a test receives, by the schema of its revision

wire.py gives each message here together with the request that it came for. At
the end of each test judge() has them checked by tests/tools/schema_check.c
against ../shared/spec, and fails for those that do not obey. Without that
folder or that program nothing is checked.

Not checked:

  what a test reads from a socket of its own (wire.Server.socket), and what a
  client of another kind gets (tests/e2e): they do not pass through wire.py
  messages of more than MAX_BYTES: a test has judged their size
  methods without a schema in ../shared/spec: those of skills
  the exceptions in EXCEPTIONS
"""

import atexit
import json
import os
import re
import subprocess

from messages import LEGACY, META, MODERN

MAX_BYTES = 1 << 20

TASKS = "extensions/tasks"
SKILLS = ("skills/list", "skills/get", "resources/directory/read")

RESULTS = {
    "completion/complete": "CompleteResult",
    "initialize": "InitializeResult",
    "logging/setLevel": "EmptyResult",
    "ping": "EmptyResult",
    "prompts/get": "GetPromptResult",
    "prompts/list": "ListPromptsResult",
    "resources/list": "ListResourcesResult",
    "resources/read": "ReadResourceResult",
    "resources/subscribe": "EmptyResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/unsubscribe": "EmptyResult",
    "server/discover": "DiscoverResult",
    "subscriptions/listen": "SubscriptionsListenResult",
    "tools/call": "CallToolResult",
    "tools/list": "ListToolsResult",
}
TASK_RESULTS = {
    "tasks/cancel": "CancelTaskResult",
    "tasks/get": "GetTaskResult",
    "tasks/update": "UpdateTaskResult",
}
NOTIFICATIONS = {
    "notifications/cancelled": "CancelledNotification",
    "notifications/message": "LoggingMessageNotification",
    "notifications/progress": "ProgressNotification",
    "notifications/prompts/list_changed": "PromptListChangedNotification",
    "notifications/resources/list_changed": "ResourceListChangedNotification",
    "notifications/resources/updated": "ResourceUpdatedNotification",
    "notifications/subscriptions/acknowledged":
        "SubscriptionsAcknowledgedNotification",
    "notifications/tools/list_changed": "ToolListChangedNotification",
}
REQUESTS = {
    "elicitation/create": "ElicitRequest",
    "roots/list": "ListRootsRequest",
    "sampling/createMessage": "CreateMessageRequest",
}
# Errors of 2026-07-28 that have a definition: of the whole, or of `error`.
WHOLE_ERRORS = {
    -32020: "HeaderMismatchError", -32022: "UnsupportedProtocolVersionError",
    -32021: "MissingRequiredClientCapabilityError",
}
ERRORS = {
    -32700: "ParseError", -32600: "InvalidRequestError",
    -32601: "MethodNotFoundError", -32602: "InvalidParamsError",
    -32603: "InternalError",
}


def error_without_id(version, message):
    """2025-03-26 and 2025-06-18 know no error without an id; but the id of a
    request that could not be read is not known, and null is none either."""
    return (version in LEGACY[1:] and "error" in message
            and "id" not in message)


EXCEPTIONS = (error_without_id,)


def method_of(message):
    method = message.get("method") if isinstance(message, dict) else None
    return method if isinstance(method, str) else None


class Sent:
    """The requests in one body: which methods their answers are for, and at
    which version."""

    def __init__(self, body, version):
        self.version, self.methods = version, {}
        try:
            messages = json.loads(body)
        except (TypeError, ValueError, RecursionError):
            return
        for message in messages if isinstance(messages, list) else [messages]:
            if not isinstance(message, dict):
                continue
            params = message.get("params")
            meta = params.get("_meta") if isinstance(params, dict) else None
            if isinstance(meta, dict) and META + "protocolVersion" in meta:
                self.version = MODERN
            method, id = method_of(message), message.get("id")
            if method and isinstance(id, (str, int)):
                self.methods[id] = method

    def of(self, message):
        """(version, method) of what the server sent."""
        id, version = message.get("id"), self.version
        method = self.methods.get(id) if isinstance(id, (str, int)) else None
        result = message.get("result")
        if method == "initialize" and isinstance(result, dict):
            version = result.get("protocolVersion")
        return version or LEGACY[0], method


class Pipe:
    """The same for a whole stdio conversation, where eras may be mixed."""

    def __init__(self):
        self.version, self.modern, self.sent = None, False, {}

    def note(self, body):
        sent = Sent(body, self.version)
        self.modern = self.modern or sent.version == MODERN
        for id, method in sent.methods.items():
            self.sent[id] = (sent.version, method)

    def receive(self, text):
        """What `text` is an answer to, as a Sent."""
        out = Sent(None, self.version or (MODERN if self.modern else None))
        try:
            messages = json.loads(text)
        except (ValueError, RecursionError):
            return out
        for message in messages if isinstance(messages, list) else [messages]:
            if not isinstance(message, dict):
                continue
            meta = (message.get("params") or {}).get("_meta") or {}
            if META + "subscriptionId" in meta:
                out.version = MODERN
            id = message.get("id")
            if "method" in message or not isinstance(id, (str, int)) \
                    or id not in self.sent:
                continue
            out.version, out.methods[id] = self.sent[id]
            result = message.get("result")
            if out.methods[id] == "initialize" and isinstance(result, dict):
                self.version = out.version = result.get("protocolVersion")
        return out


class Judge:
    """The messages of a test, and the process that judges them."""

    def __init__(self, spec, checker):
        self.spec, self.checker = spec, checker
        self.waiting = []
        self.seen = set()
        self.schemas = {}
        self.known = set()
        self.process = None

    def take(self, sent, text):
        """One message or batch as it came, in answer to what was `sent`."""
        if len(text) <= MAX_BYTES:
            self.waiting.append((sent, text))

    def schema(self, version):
        if version not in self.schemas:
            name = ("tasks.schema.json" if version == TASKS else
                    "schema.json")
            folder = "extensions" if version == TASKS else version
            path = os.path.join(self.spec, folder, name)
            with open(path, encoding="utf-8") as file:
                self.schemas[version] = json.load(file)
        return self.schemas[version]

    def build(self, version, whole, member, definition):
        """A schema: the message is a `whole` and its `member` a `definition`;
        either may be None."""
        schema = dict(self.schema(version))
        place = "$defs" if "$defs" in schema else "definitions"
        parts = []
        if whole:
            parts.append({"$ref": "#/%s/%s" % (place, whole)})
        if definition:
            parts.append({"required": [member], "properties": {
                member: {"$ref": "#/%s/%s" % (place, definition)}}})
        schema.pop("$id", None)
        return {**schema, "allOf": parts}

    def definition(self, version, method, message):
        """(schema's place, whole, member, definition) for a message, None
        when there is none."""
        names = self.schema(version).get("$defs") or self.schema(version)[
            "definitions"]
        if "error" in message:
            code = message["error"].get("code")
            if version == MODERN and code in WHOLE_ERRORS:
                return version, WHOLE_ERRORS[code], None, None
            generic = ("JSONRPCErrorResponse" if "JSONRPCErrorResponse" in names
                       else "JSONRPCError")
            return (version, generic, "error",
                    ERRORS.get(code) if version == MODERN else None)
        if "method" in message:
            name = message["method"]
            if name == "notifications/tasks":
                return TASKS, "TaskStatusNotification", None, None
            whole = (REQUESTS if "id" in message else NOTIFICATIONS).get(name)
            if whole not in names:
                raise AssertionError("%s has no message %s" % (version, name))
            return version, whole, None, None
        if method in SKILLS:
            return None
        generic = ("JSONRPCResultResponse" if "JSONRPCResultResponse" in names
                   else "JSONRPCResponse")
        kind = message["result"].get("resultType") if version == MODERN \
            else None
        if kind == "input_required":
            return version, generic, "result", "InputRequiredResult"
        if kind == "task":
            return TASKS, None, "result", "CreateTaskResult"
        if method in TASK_RESULTS:
            return TASKS, None, "result", TASK_RESULTS[method]
        return version, generic, "result", RESULTS.get(method)

    def start(self):
        if self.process is None:
            self.process = subprocess.Popen(
                [self.checker], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            atexit.register(self.stop)

    def stop(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def ask(self, wanted, text):
        """True, False, or what went wrong."""
        name = "/".join(str(part) for part in wanted)
        line = b'{"name":%s,' % json.dumps(name).encode()
        if name not in self.known:
            self.known.add(name)
            line += b'"schema":%s,' % json.dumps(self.build(*wanted)).encode()
        self.start()
        self.process.stdin.write(line + b'"values":[' + text + b"]}\n")
        self.process.stdin.flush()
        verdict = json.loads(self.process.stdout.readline())
        return verdict.get("error") or verdict["valid"][0]

    def problem(self, sent, message, text):
        """What is wrong with the message, or None."""
        if not isinstance(message, dict):
            return "no object"
        version, method = sent.of(message)
        if any(excepts(version, message) for excepts in EXCEPTIONS):
            return None
        try:
            wanted = self.definition(version, method, message)
        except (AssertionError, KeyError, AttributeError) as error:
            return "%s: %s" % (type(error).__name__, error)
        if wanted is None:
            return None
        # ids aside the same message need not be judged again
        plain = (wanted, re.sub(rb'"id":\d+', b'"id":1', text))
        if plain in self.seen:
            return None
        self.seen.add(plain)
        verdict = self.ask(wanted, text)
        return None if verdict is True else "%s: %s" % (wanted, verdict)

    def judge(self):
        """Fails for the messages taken since the last time."""
        waiting, self.waiting = self.waiting, []
        bad = []
        for sent, text in waiting:
            try:
                parsed = json.loads(text)
            except (ValueError, RecursionError):
                continue  # what is no JSON is another test's matter
            parts = parsed if isinstance(parsed, list) else [parsed]
            for part in parts:
                raw = text if part is parsed else json.dumps(part).encode()
                why = self.problem(sent, part,
                                   raw.strip().replace(b"\n", b" "))
                if why is not None:
                    bad.append("%s\n%s" % (
                        why, raw[:1000].decode("utf-8", "replace")))
        if bad:
            raise AssertionError("messages that break their schema:\n"
                                 + "\n".join(bad[:5]))


class Nobody:
    """When there is nothing to judge by."""

    def take(self, sent, text):
        pass

    def judge(self):
        pass


def make(spec, checker):
    if os.path.isdir(spec) and os.path.exists(checker):
        return Judge(spec, checker)
    return Nobody()
