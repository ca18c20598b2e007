--- luajit compile_lua.lua SOURCE CHUNKNAME OUT: the bytecode of a module, with
--- its lines and names, so that messages are those of the source.

local source, chunk, out = arg[1], arg[2], arg[3]
local file = assert(io.open(source, "rb"))
local text = file:read("*a")
file:close()
file = assert(io.open(out, "wb"))
assert(file:write(string.dump(assert(loadstring(text, chunk)))))
assert(file:close())
