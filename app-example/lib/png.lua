--- Grey pictures as PNG, in pure Lua. Not compressed: receipts are small.

local bit = require "bit"

local M = {}

local crc_table = {}
for n = 0, 255 do
  local c = n
  for _ = 1, 8 do
    c = bit.band(c, 1) == 1 and bit.bxor(0xedb88320, bit.rshift(c, 1)) or bit.rshift(c, 1)
  end
  crc_table[n] = c
end

local function crc32(bytes)
  local c = bit.bnot(0)
  for i = 1, #bytes do
    c = bit.bxor(crc_table[bit.band(bit.bxor(c, bytes:byte(i)), 0xff)], bit.rshift(c, 8))
  end
  return bit.bnot(c)
end

local function adler32(bytes)
  local a, b = 1, 0
  for i = 1, #bytes do
    a = (a + bytes:byte(i)) % 65521
    b = (b + a) % 65521
  end
  return b * 65536 + a
end

--- 32 bits, most significant byte first.
local function be32(n)
  return string.char(
    bit.band(bit.rshift(n, 24), 0xff),
    bit.band(bit.rshift(n, 16), 0xff),
    bit.band(bit.rshift(n, 8), 0xff),
    bit.band(n, 0xff)
  )
end

local function chunk(kind, data)
  return be32(#data) .. kind .. data .. be32(crc32(kind .. data))
end

--- A zlib stream of stored blocks, each at most 65535 bytes.
local function store(data)
  local out = { "\120\1" }
  for from = 1, #data, 65535 do
    local block = data:sub(from, from + 65534)
    local low, high = #block % 256, math.floor(#block / 256)
    local last = from + 65535 > #data and 1 or 0
    out[#out + 1] = string.char(last, low, high, 255 - low, 255 - high) .. block
  end
  out[#out + 1] = be32(adler32(data))
  return table.concat(out)
end

--- `rows` is a list of strings of equal length, one byte a pixel (0 is black).
function M.encode(rows)
  local header = be32(#rows[1]) .. be32(#rows) .. "\8\0\0\0\0"
  local data = store("\0" .. table.concat(rows, "\0"))
  return table.concat {
    "\137PNG\r\n\26\n",
    chunk("IHDR", header),
    chunk("IDAT", data),
    chunk("IEND", ""),
  }
end

return M
