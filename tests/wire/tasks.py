"""tasks.py - a client of tasks, for the tests of them"""

import time

import wire

EXTENSION = "io.modelcontextprotocol/tasks"
CAPABILITIES = {"elicitation": {}, "extensions": {EXTENSION: {}}}
FINAL = ("completed", "failed", "cancelled")
ENDED_SECONDS = 20


class Tasks:
    """The methods of tasks on one server."""

    def __init__(self, server, capabilities=CAPABILITIES):
        self.server = server
        self.capabilities = capabilities

    def rpc(self, method, params, **how):
        return self.server.rpc(method, params, **{
            "capabilities": self.capabilities, **how})

    def call(self, name, arguments=None, **params):
        """tools/call; the whole answer."""
        return self.rpc("tools/call", {
            "name": name, "arguments": arguments or {}, **params})

    def create(self, name, arguments=None, **params):
        """The id of a new task."""
        answer = self.call(name, arguments, **params)
        result = answer.json.get("result", {})
        if result.get("resultType") != "task":
            raise AssertionError("no task: %r" % answer.json)
        return result["taskId"]

    def get(self, id):
        answer = self.rpc("tasks/get", {"taskId": id})
        if "result" not in answer.json:
            raise AssertionError("no such task: %r" % answer.json)
        return answer.json["result"]

    def update(self, id, responses):
        return self.rpc("tasks/update", {"taskId": id,
                                         "inputResponses": responses})

    def cancel(self, id):
        return self.rpc("tasks/cancel", {"taskId": id})

    def wait(self, id, statuses=FINAL, seconds=ENDED_SECONDS):
        """The task when it has one of the statuses."""
        end = time.monotonic() + seconds
        while True:
            task = self.get(id)
            if task["status"] in statuses:
                return task
            if time.monotonic() > end:
                raise AssertionError("still %r" % task)
            time.sleep(0.01)

    def text(self, id):
        """The first text of a completed task."""
        return self.wait(id)["result"]["content"][0]["text"]


def accept(**content):
    return {"action": "accept", "content": content}


class TestCase(wire.TestCase):
    """With `self.tasks` for the class's server."""

    def setUp(self):
        super().setUp()
        if self.server is not None:
            self.tasks = Tasks(self.server)

    def begin(self, app, **how):
        return Tasks(self.start(app, **how))
