-- wrk's script: posts the file named by BENCH_REQUEST, prints exact figures.
local lines = {}
for line in io.lines(os.getenv("BENCH_REQUEST")) do
  lines[#lines + 1] = line
end
wrk.method = "POST"
wrk.body = table.remove(lines)
for _, line in ipairs(lines) do
  local name, value = line:match("^([^:]+): (.*)$")
  wrk.headers[name] = value
end

function done(summary, latency)
  local e = summary.errors
  io.write(("\nfigures %d %d %g %g %d\n"):format(summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99),
    e.connect + e.read + e.write + e.status + e.timeout))
end
