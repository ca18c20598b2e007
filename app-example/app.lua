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

-- Work that takes long may be a task: the client gets a handle at once, looks
-- after it, and answers its questions. Other clients wait for the call to end.

mcp.tasks { store = "memory:" } -- by default a file that outlives the process

--- Roasts beans. Asks, when they are medium, whether they shall become dark.
mcp.tool("roast", {
  task = true,
  input = {
    { "kilos", t.number { description = "Of beans", gt = 0, max = 20 } },
    { "seconds", t.number { description = "For each degree", min = 0, max = 600, default = 1 } },
  },
}, function(kilos, seconds, ctx)
  for i, degree in ipairs { "light", "medium" } do
    ctx.sleep(seconds) -- holds no thread
    ctx.progress(i, 3, degree)
  end
  local answer = ctx.elicit {
    message = ("%g kg are medium. Roast on?"):format(kilos),
    schema = { type = "object", properties = { dark = { type = "boolean" } } },
  }
  local dark = answer.action == "accept" and answer.content.dark
  if dark then
    ctx.sleep(seconds)
  end
  return ("%g kg of %s beans."):format(kilos, dark and "dark" or "medium")
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

-- A route answers plain HTTP, and may be a tool as well: curl .../hours/sunday

--- When the bar is open.
---@param day "saturday"|"sunday"|"weekday" Which day
mcp.get("/hours/{day}", { tool = "opening_hours" }, function(day)
  return day == "weekday" and "7 to 19" or "9 to 16"
end)

-- Resources are read by their URI. Static content needs no function.

--- The house rules.
mcp.resource { uri = "coffee://rules", file = "rules.md" }

--- One drink of the menu, with its prices in cents.
mcp.resource {
  uri_template = "coffee://drinks/{name}",
  name = "drink",
  mime_type = "application/json",
  complete = { name = menu.names() }, -- what may stand for {name}
  handler = function(name) -- the variables, by their names
    return (menu.find(name)) -- nil: there is no such drink
  end,
}

-- Prompts are templates for messages; their arguments are strings.

--- Ask for a drink that suits the customer.
---@param mood string How the customer feels
---@param temperature? "hot"|"cold" Of the drink
mcp.prompt("suggest", { title = "Suggest a drink" }, function(mood, temperature)
  return {
    mcp.embedded { uri = "coffee://menu", text = table.concat(menu.names(), "\n") },
    ("I feel %s. Which %s drink of this menu suits me?"):format(mood, temperature or "hot"),
  }
end)

mcp.prompt_controller {
  prefix = "barista", -- barista/welcome, barista/tasting_notes
  instructions = "Persona: warm, knowledgeable barista. Tone: concise.",
  {
    name = "welcome",
    description = "Greet a customer",
    arguments = { { name = "customer", description = "Their name", default = "friend" } },
    handler = function(customer)
      return ("Welcome %s to the coffee bar and name two drinks of the day."):format(customer)
    end,
  },
  {
    name = "tasting_notes",
    description = "Describe a drink",
    arguments = {
      {
        name = "drink",
        description = "A name from the menu",
        required = true,
        complete = menu.names(),
      },
    },
    handler = function(drink)
      local found, problem = menu.find(drink)
      if not found then
        mcp.http_error(422, problem) -- a failure, with its reason for the client
      end
      return mcp.user(("Write tasting notes for %s: %s."):format(found.name, found.about))
    end,
  },
}

-- Skills tell agents how to do something. Those of a folder are served as they are;
-- these two are about mcpluad itself.

mcp.skills { paths = { "../skills" }, prefix = "mcpluad" }

mcp.skill {
  name = "barista",
  description = "Takes orders in this coffee bar. Use when a customer orders or asks for advice.",
  body = [[
# Barista

1. Call `menu` and read `references/manners.md` before the first answer.
2. Call `price` before you order; tell the customer what it costs.
3. Call `order` only when the customer has agreed.
]],
  files = {
    ["references/manners.md"] = "Name two drinks, not all. Talk nobody into a larger cup.\n",
  },
}
