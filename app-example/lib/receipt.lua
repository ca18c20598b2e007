--- A receipt as a picture: lines of text in a font of 3 by 5 dots.

local png = require "lib.png"

local M = {}

--- Five rows a letter, one octal digit a row: its bits are the dots.
local FONT = {
  A = "25755", B = "65656", C = "34443", D = "65556", E = "74647", F = "74644",
  G = "34553", H = "55755", I = "72227", J = "11152", K = "55655", L = "44447",
  M = "57755", N = "65555", O = "25552", P = "65644", Q = "25573", R = "65655",
  S = "34216", T = "72222", U = "55557", V = "55552", W = "55775", X = "55255",
  Y = "55222", Z = "71247", ["0"] = "75557", ["1"] = "26227", ["2"] = "61247",
  ["3"] = "61216", ["4"] = "55711", ["5"] = "74616", ["6"] = "34757", ["7"] = "71244",
  ["8"] = "75757", ["9"] = "75716", ["."] = "00002", ["-"] = "00700", [" "] = "00000",
}

local DOT = 2 -- pixels
local MARGIN = 4 -- dots
local BLACK, WHITE = "\0", "\255"
local DOTS = {}
for digit = 0, 7 do
  local dots = {}
  for i, weight in ipairs { 4, 2, 1 } do
    dots[i] = (math.floor(digit / weight) % 2 == 1 and BLACK or WHITE):rep(DOT)
  end
  DOTS[tostring(digit)] = table.concat(dots)
end

--- One row of dots of `line` (1 to 5), as pixels.
local function pixels(line, row)
  local gap, out = WHITE:rep(DOT), {}
  for i = 1, #line do
    local glyph = FONT[line:sub(i, i)] or FONT["-"]
    out[i] = DOTS[glyph:sub(row, row)]
  end
  return table.concat(out, gap)
end

--- The lines as a PNG.
function M.draw(lines)
  local width = 0
  for _, line in ipairs(lines) do
    width = math.max(width, #line)
  end
  local rows = {}
  local side = WHITE:rep(MARGIN * DOT)
  local empty = side .. WHITE:rep((4 * width - 1) * DOT) .. side
  local function add(row, times)
    for _ = 1, times do
      rows[#rows + 1] = row
    end
  end
  add(empty, MARGIN * DOT)
  for _, line in ipairs(lines) do
    line = (line .. (" "):rep(width - #line)):upper()
    for row = 1, 5 do
      add(side .. pixels(line, row) .. side, DOT)
    end
    add(empty, 2 * DOT)
  end
  add(empty, MARGIN * DOT)
  return png.encode(rows)
end

return M
