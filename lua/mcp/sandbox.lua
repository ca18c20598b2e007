--- mcp.sandbox: what a new state gets before any app code runs.
---
--- A call starts from the state as it was when the app had loaded, and that
--- state is put back by copying memory. Whatever lives outside of that memory
--- (files, C libraries, the process itself) is watched or withheld here.
---
--- Source: design, "Isolation of requests".

local core = require "mcp.core"

local isolation, is_compiled = core.isolation()
local is_kept = isolation == "worker"

local function nothing() end

-- The process belongs to the server.
os.exit = function()
  local instead = core.loading() and "raise an error to stop the load"
    or "return from the handler instead"
  error("os.exit is not available: the server lives on; " .. instead, 2)
end

-- The hook belongs to the deadline; the compiler is off, because a compiled loop
-- cannot be stopped.
debug.sethook = nothing
if not is_compiled then
  jit.on, jit.off, jit.flush = nothing, nothing, nothing
  jit.opt.start = nothing
end

if not is_kept then
  newproxy = function()
    error("newproxy is not available: its finalizers would not run when a call ends", 2)
  end

  local collect = collectgarbage
  collectgarbage = function(option, argument)
    if option == "stop" then
      return 0
    end
    return collect(option, argument)
  end
end

-- The registry holds what C code relies on: who asks gets a copy.
local registry = debug.getregistry()
debug.getregistry = function()
  local copy = {}
  for key, value in pairs(registry) do
    if type(key) == "string" then
      copy[key] = value
    end
  end
  return copy
end

-- The locale is the whole process's; it may be asked for.
local setlocale = os.setlocale
os.setlocale = function(locale, category)
  if locale == nil then
    return setlocale(nil, category)
  end
  return nil
end

-- Its timer would go on after the call.
package.preload["jit.profile"] = function()
  error("jit.profile is not available: its signals would reach other calls", 0)
end

-- Files: C keeps a list of those that are open, and closes what a call leaves
-- open when it ends; see src/app/files.h.
local raw_open, raw_popen, raw_tmpfile = io.open, io.popen, io.tmpfile
local raw_lines, raw_input, raw_output = io.lines, io.input, io.output

local function watch(is_pipe, file, ...)
  if file then
    core.note_file(file, is_pipe)
  end
  return file, ...
end

io.open = function(...)
  return watch(false, raw_open(...))
end

io.popen = function(...)
  return watch(true, raw_popen(...))
end

io.tmpfile = function()
  return watch(false, raw_tmpfile())
end

local file_methods = getmetatable(io.stdout)
file_methods.close = core.closing(file_methods.close)
file_methods.__gc = core.closing(file_methods.__gc)

io.close = function(file)
  return (file or raw_output()):close()
end

local function until_end(file, first, ...)
  if first == nil then
    file:close()
  end
  return first, ...
end

io.lines = function(name, ...)
  if name == nil then
    return raw_lines()
  end
  local file, message = io.open(name)
  if not file then
    error(message, 2)
  end
  local next_line = file:lines(...)
  return function()
    return until_end(file, next_line())
  end
end

local function redirect(raw, mode)
  return function(target)
    if type(target) ~= "string" then
      return raw(target)
    end
    local file, message = io.open(target, mode)
    if not file then
      error(message, 2)
    end
    return raw(file)
  end
end

io.input = redirect(raw_input, "r")
io.output = redirect(raw_output, "w")

-- Modules in Lua are read once for all states; see src/app/sources.h.
local function search(name, path)
  local tried = {}
  for template in path:gmatch("[^;]+") do
    local file = template:gsub("%?", (name:gsub("%.", "/")))
    local source = core.load_source(file)
    if source then
      return file, source
    end
    tried[#tried + 1] = "\n\tno file '" .. file .. "'"
  end
  return nil, table.concat(tried)
end

package.loaders[2] = function(name)
  local file, source = search(name, package.path)
  if not file then
    return source
  end
  local chunk, message = loadstring(source, "@" .. file)
  if not chunk then
    error(("error loading module '%s' from file '%s':\n\t%s"):format(name, file, message), 0)
  end
  return chunk
end

-- C modules known to keep nothing outside of the state between calls.
local SAFE = { cjson = true, ["cjson.safe"] = true, lpeg = true }

-- lua-cjson keeps its output buffer in C memory unless told not to.
local function tame_cjson(module)
  module.encode_keep_buffer(false)
  module.encode_keep_buffer = function()
    return false
  end
  local new = module.new
  module.new = function()
    return tame_cjson(new())
  end
  return module
end

local function noted(name, loader)
  if type(loader) ~= "function" then
    return loader
  end
  return function(...)
    if not SAFE[name] then
      core.note_foreign(("C module %q is loaded"):format(name))
    end
    local module = loader(...)
    if name == "cjson" or name == "cjson.safe" then
      tame_cjson(module)
    end
    return module
  end
end

for i = 3, 4 do
  local raw = package.loaders[i]
  package.loaders[i] = function(name)
    return noted(name, raw(name))
  end
end

local raw_loadlib = package.loadlib
package.loadlib = function(path, symbol)
  core.note_foreign(("C library %q is loaded"):format(tostring(path)))
  return raw_loadlib(path, symbol)
end

-- The first literal like 1LL would open the library and leave it in
-- package.loaded; opened here, such literals are harmless and `require` is seen.
local ffi = package.preload.ffi("ffi")
package.loaded.ffi = nil
package.preload.ffi = function()
  core.note_foreign("ffi is used")
  return ffi
end

-- What the app says while it loads is said once, not by each further state. The
-- functions stay in place afterwards, for whoever has kept them.
local is_mute = core.following()
local function audible(raw)
  return function(...)
    if not is_mute then
      return raw(...)
    end
  end
end
if is_mute then
  print, io.write = audible(print), audible(io.write)
end

-- With --dev: a global that a call makes is most often a forgotten `local`. It is
-- gone when the call ends, and the author hears of it.
local is_developing = core.developing()
local function tell_new_globals()
  if not is_developing or getmetatable(_G) ~= nil then
    return
  end
  setmetatable(_G, {
    __newindex = function(globals, key, value)
      rawset(globals, key, value)
      local at = debug.getinfo(2, "Sl")
      core.warn(("%s:%d: a call makes the global %q; is a `local` missing?"):format(
        at and at.short_src or "?", at and at.currentline or 0, tostring(key)))
    end,
  })
end

return {
  --- The app has loaded.
  loaded = function()
    is_mute = false
    tell_new_globals()
  end,

  --- The int64_t high * 2^32 + low, for arguments of type int64.
  int64 = function(high, low)
    return ffi.cast("int64_t", high) * 4294967296 + low
  end,

  --- The same as uint64_t.
  uint64 = function(high, low)
    return ffi.cast("uint64_t", high) * 4294967296 + low
  end,
}
