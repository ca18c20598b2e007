#!/bin/sh
# ask.sh - one request to an MCP server: ask.sh [METHOD [PARAMS [URL]]]
#
#   ask.sh                                        server/discover
#   ask.sh tools/list
#   ask.sh tools/call '"name":"add","arguments":{"a":1,"b":2}'
#
# PARAMS are the members of params, without braces and without _meta. The header
# Mcp-Name is taken from "name" or "uri" in them.
set -eu
method=${1:-server/discover}
params=${2:-}
url=${3:-http://127.0.0.1:8000/mcp}
name=$(printf '%s' "$params" | sed -n 's/^.*"\(name\|uri\|taskId\)":"\([^"]*\)".*$/\2/p')

meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
"io.modelcontextprotocol/clientInfo":{"name":"ask.sh","version":"1"},
"io.modelcontextprotocol/clientCapabilities":{}}'
set -- -H "Mcp-Method: $method"
if [ -n "$name" ]; then set -- "$@" -H "Mcp-Name: $name"; fi

curl -sS "$url" -H 'Content-Type: application/json' \
  -H 'Accept: application/json, text/event-stream' \
  -H 'MCP-Protocol-Version: 2026-07-28' "$@" \
  -d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$method\",\"params\":{${params:+$params,}$meta}}"
echo
