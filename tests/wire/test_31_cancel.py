"""Logs, progress and cancellation on each wire.

bugs.md B.5: B78 B79 B81 B84 B85.
"""

import threading
import time
import unittest

import wire

APP = """
local mcp = require "mcp"
mcp.tool("steps", function(ctx)
  ctx.debug("d") ctx.info({ a = 1 }) ctx.error("e")
  ctx.progress(1, 3, "one") ctx.progress(1, 3) ctx.progress(0.5, 3)
  ctx.progress(2) ctx.progress(3, 3)
  return "done"
end)
mcp.tool("spin", function()
  io.stderr:write("it begins\\n")
  while true do end
end)
mcp.tool("nap", function(ctx)
  io.stderr:write("it begins\\n")
  ctx.sleep(20)
  return "up"
end)
"""
PROGRESS = [{"progress": 1, "total": 3, "message": "one"}, {"progress": 2},
            {"progress": 3, "total": 3}]


def cancel(id):
    return {"jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": id, "reason": "test"}}


def call(name, id, **meta):
    params = {"name": name, "arguments": {}}
    if meta:
        params["_meta"] = meta
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": params}


def split(messages):
    """Log parameters, progress parameters, the response."""
    logs = [m["params"] for m in messages
            if m.get("method") == "notifications/message"]
    progress = [m["params"] for m in messages
                if m.get("method") == "notifications/progress"]
    return logs, progress, messages[-1]


class Notifications(wire.TestCase):
    APP = APP

    def test_modern(self):
        logs, progress, last = split(self.server.call("steps").messages)
        self.assertEqual((logs, progress), ([], []))
        self.assertEqual(last["result"]["content"][0]["text"], "done")
        for token in ("t1", 7, 0, ""):
            answer = self.server.call("steps", progressToken=token,
                                      logLevel="info")
            self.assertEqual(answer.type, "text/event-stream")
            logs, progress, last = split(answer.messages)
            self.assertEqual(logs, [{"level": "info", "data": {"a": 1}},
                                    {"level": "error", "data": "e"}])
            self.assertEqual(progress, [{"progressToken": token, **p}
                                        for p in PROGRESS])
            self.assertIn("result", last)

    def test_a_client_that_takes_json_only_gets_json(self):
        answer = self.server.call("steps", progressToken=1, logLevel="debug",
                                  headers={"Accept": "application/json"})
        self.assertEqual(answer.type, "application/json")
        self.assertIn("result", answer.json)

    def test_legacy(self):
        session = self.server.session()
        logs, progress, _ = split(session.call("steps").messages)
        self.assertEqual([m["level"] for m in logs], ["info", "error"])
        self.assertEqual(progress, [])
        session.request("logging/setLevel", {"level": "emergency"})
        logs, progress, last = split(
            session.call("steps", progressToken="p").messages)
        self.assertEqual(logs, [])
        self.assertEqual(progress, [{"progressToken": "p", **p}
                                    for p in PROGRESS])
        self.assertIn("result", last)

    def test_stdio(self):
        process = self.start_stdio(APP)
        process.request(wire.modern("tools/call", {"name": "steps"},
                                    progressToken=5, logLevel="error"))
        logs, progress, _ = split(process.notifications + [{}])
        self.assertEqual(logs, [{"level": "error", "data": "e"}])
        self.assertEqual(progress, [{"progressToken": 5, **p}
                                    for p in PROGRESS])


class Cancellation(wire.TestCase):
    APP = APP
    OPTIONS = ["--call-timeout", "25"]

    def cancel_by_notification(self, tool):
        session = self.server.session()
        answers, begun = [], self.server.stderr.count("it begins")
        message = session.body("tools/call", {"name": tool, "arguments": {}})
        thread = threading.Thread(target=lambda: answers.append(
            self.server.post(message, session.headers())))
        thread.start()
        self.server.wait_said("it begins", begun + 1)
        other = self.server.session()
        for wrong in (cancel(message["id"] + 1), cancel(str(message["id"]))):
            self.assertEqual(self.server.post(wrong,
                                              session.headers()).status, 202)
        other.notify("notifications/cancelled", {"requestId": message["id"]})
        thread.join(0.3)
        self.assertTrue(thread.is_alive())
        session.notify("notifications/cancelled", {"requestId": message["id"]})
        thread.join(10)
        self.assertFalse(thread.is_alive())
        self.assertEqual(answers[0].messages, [])
        self.assertEqual(session.request("ping").result, {})

    def test_a_legacy_call_that_sleeps(self):
        self.cancel_by_notification("nap")

    def test_a_legacy_call_that_computes(self):
        self.cancel_by_notification("spin")

    def test_a_modern_call_ends_with_its_connection(self):
        for tool in ("spin", "nap"):
            server = self.start(APP, options=[
                "--max-workers", "1", "--call-timeout", "25"])
            message = wire.modern("tools/call", {"name": tool})
            connection = server.connection()
            server._send(connection, "POST", None, message.body,
                         server._post_headers(message.headers))
            server.wait_said("it begins")
            connection.close()
            began = time.monotonic()
            self.assertIn("result", server.call("steps").json)
            self.assertLess(time.monotonic() - began, 10)

    def test_stdio_in_both_eras(self):
        process = self.start_stdio(APP)
        process.initialize()
        process.send(wire.modern("tools/call", {"name": "nap"}, id="99").body)
        process.send(call("spin", 99))
        process.wait_said("it begins", 2)
        self.assertEqual(process.request(
            {"jsonrpc": "2.0", "id": 1, "method": "ping"})["result"], {})
        process.send(cancel("99"))
        process.send(cancel(99))
        process.send(cancel(12345))
        self.assertTrue(process.silent(1))
        answer = process.request(call("steps", 2))
        self.assertEqual(answer["result"]["content"][0]["text"], "done")

    def test_the_end_of_stdin_ends_running_calls(self):
        process = wire.Stdio(APP)
        process.initialize()
        process.send(call("nap", 1))
        process.send(wire.modern("tools/call", {"name": "spin"}, id=2).body)
        process.wait_said("it begins", 2)
        process.stop()


if __name__ == "__main__":
    unittest.main()
