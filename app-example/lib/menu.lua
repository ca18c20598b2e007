--- The menu of the coffee bar: what there is and what it costs.

local M = {}

--- In the order in which the bar shows them. Prices in cents by size.
M.drinks = {
  { name = "espresso", about = "Short and strong", price = { small = 220, large = 290 } },
  { name = "cappuccino", about = "Espresso, milk, foam", price = { small = 310, large = 380 } },
  { name = "filter", about = "Brewed by the cup", price = { small = 260, large = 340 } },
  {
    name = "mocha",
    about = "With chocolate",
    price = { small = 360, large = 430 },
    sold_out = true,
  },
}

--- What is on the menu, by name.
function M.names()
  local names = {}
  for i, drink in ipairs(M.drinks) do
    names[i] = drink.name
  end
  return names
end

--- The drink called `name`, or nil and a message that helps to ask again.
function M.find(name)
  for _, drink in ipairs(M.drinks) do
    if drink.name == name then
      return drink
    end
  end
  return nil, ("there is no %s; there are %s"):format(name, table.concat(M.names(), ", "))
end

--- Cents as people write them: 1234 is "12.34 EUR".
function M.money(cents)
  return ("%d.%02d EUR"):format(math.floor(cents / 100), cents % 100)
end

return M
