"""Memory that clients make the server hold has one bound for all of them."""

import threading

import wire

APP = """
local mcp = require "mcp"
mcp.server { name = "budget", version = "1.0.0" }
mcp.tool("hold", { input_schema = { type = "object" } }, function(args, ctx)
  ctx.sleep(5)
  return "held"
end)
mcp.tool("big", function(n) return ("x"):rep(n) end)
mcp.tool("ok", function() return "fine" end)
"""

MIB = 1 << 20


class Budget(wire.TestCase):
    APP = APP

    def test_messages_of_many_small_values_are_counted_as_parsed(self):
        """4 MiB of `1,` take some 55 MiB as a tree: a few at once, not all."""
        values = "1," * (4 * MIB // 2 - 400) + "1"
        body, headers = wire.modern("tools/call", {
            "name": "hold", "arguments": {"values": "@"}}, id=1)
        data = wire.encode(body).replace(b'"@"', b"[" + values.encode() + b"]")
        statuses = []

        def post():
            statuses.append(self.server.request(
                "POST", body=data, headers={**headers,
                                            "Content-Type": "application/json"},
                timeout=60).status)

        threads = [threading.Thread(target=post) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(set(statuses), {200, 503})
        self.assertGreaterEqual(statuses.count(200), 3)
        self.assertEqual(self.server.call("ok").result["content"][0]["text"],
                         "fine")

    def test_answers_that_nobody_reads_are_counted(self):
        """20 MB each: some wait, the rest is refused, and all is given back."""
        body, headers = wire.modern("tools/call", {
            "name": "big", "arguments": {"n": 20 * MIB}}, id=1)
        data = wire.encode(body)
        head = ("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                "application/json\r\nContent-Length: %d\r\n" % (
                    self.server.path, len(data)))
        head += "".join("%s: %s\r\n" % h for h in headers.items()
                        if h[0].lower() != "content-type") + "\r\n"
        sockets = [self.server.socket(60) for _ in range(20)]
        for s in sockets:
            s.sendall(head.encode() + data)
        statuses = [s.recv(12)[9:12] for s in sockets]
        self.assertEqual(set(statuses), {b"200", b"503"})
        self.assertGreaterEqual(statuses.count(b"200"), 4)
        for s in sockets:
            s.close()
        end = wire.time.monotonic() + 20
        while True:  # closed connections give their share back
            answer = self.server.call("big", {"n": 20 * MIB})
            if answer.status == 200:
                break
            self.assertLess(wire.time.monotonic(), end)
            wire.time.sleep(0.1)


if __name__ == "__main__":
    wire.unittest.main()
