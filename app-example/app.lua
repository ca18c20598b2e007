--- A coffee bar: what an app of mcpluad looks like.
---
---     mcpluad app-example/app.lua            over HTTP
---     mcpluad --stdio app-example/app.lua    over stdin and stdout

local mcp = require "mcp"
local menu = require "lib.menu"
local receipt = require "lib.receipt"
local t = mcp.types

mcp.server {
  name = "coffee",
  version = "1.2.0",
  title = "Coffee bar",
  instructions = "Show the menu first. Ask for the price before you order.",
}

-- A name and a function are a tool; the comment above it is the description.

--- The drinks of the day, with their prices in cents.
mcp.tool("menu", function()
  return menu.drinks
end)

--- The price of one drink.
mcp.tool("price", {
  title = "Price of a drink",
  read_only = true,
  input_schema = {
    properties = {
      { "drink", { type = "string", description = "A name from the menu" } },
      {
        "size",
        {
          type = "string",
          description = "Of the cup",
          enum = { "small", "large" },
          default = "small",
        },
      },
    },
    required = { "drink" },
    additionalProperties = false,
  },
  output_schema = {
    type = "object",
    properties = { cents = { type = "integer" }, text = { type = "string" } },
    required = { "cents", "text" },
  },
}, function(drink, size) -- the arguments, by their names
  local found, problem = menu.find(drink)
  if not found then
    return nil, problem -- a failure that the model can act on
  end
  local cents = found.price[size]
  return { cents = cents, text = menu.money(cents) }
end)

--- The lines and the sum of an order, or nil and what is wrong with it.
local function add_up(items)
  local lines, cents = {}, 0
  for i, item in ipairs(items) do
    local drink, problem = menu.find(item.drink)
    if not drink then
      return nil, problem
    elseif drink.sold_out then
      return nil, drink.name .. " is sold out"
    end
    local price = drink.price[item.size] * item.count
    cents = cents + price
    lines[i] = ("%2d %-12s%7.2f"):format(item.count, drink.name, price / 100)
  end
  return lines, cents
end

mcp.tool {
  name = "order",
  title = "Order",
  description = "Order drinks. Answers with the sum and a receipt as a picture.",
  when_to_use = "When the customer has said what they want, and agreed to the price.",
  annotations = { destructiveHint = false },
  input_schema_file = "order.schema.json", -- beside this file
  handler = function(args, ctx) -- all arguments, and the request
    local lines, cents = add_up(args.items)
    if not lines then
      error { message = cents, structured = { ordered = false } }
    end
    ctx.info { event = "order", items = #args.items, cents = cents }
    lines[#lines + 1] = ("%-15s%7.2f"):format("sum", cents / 100)
    return {
      mcp.text(("%s for %s"):format(menu.money(cents), args.name or "you")),
      mcp.image(receipt.draw(lines), "image/png"),
    }
  end,
}

local STEPS = { "grind", "heat", "pour" }

--- Brews a drink and tells how far it is.
mcp.tool("brew", {
  timeout = 20, -- seconds
  input = { -- types built in Lua
    { "drink", t.string { description = "A name from the menu" } },
    { "seconds", t.number { description = "How long it takes", min = 0, max = 10, default = 1 } },
  },
}, function(drink, seconds, ctx)
  assert(menu.find(drink)) -- an error is an answer too, and the server goes on
  for i, step in ipairs(STEPS) do
    ctx.progress(i, #STEPS, step)
    ctx.debug("step " .. step)
    ctx.sleep(seconds / #STEPS)
  end
  return "Your " .. drink .. " is ready."
end)

--- How a drink is made: the recipe, and a link to the whole book.
---@param drink string A name from the menu
mcp.tool("recipe", { read_only = true }, function(drink) -- types in the comment
  local found, problem = menu.find(drink)
  if not found then
    return nil, problem
  end
  return {
    mcp.embedded {
      uri = "coffee://recipes/" .. found.name,
      mime_type = "text/markdown",
      text = ("# %s\n\n%s.\n"):format(found.name, found.about),
    },
    mcp.resource_link {
      uri = "https://example.com/recipes",
      name = "recipes",
      title = "All recipes",
      mime_type = "text/html",
    },
  }
end)

--- Who asks? Shows what a handler knows about its request.
mcp.tool("who_am_i", function(ctx)
  local client = ctx.client and ctx.client.info or {}
  return {
    client = client.name or "nobody I know",
    transport = ctx.request.transport,
    seconds_left = math.floor(ctx.deadline),
  }
end)
