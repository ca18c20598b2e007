-- Seed 000 in Lua: routes that are tools, and the report tools.
local mcp = require "mcp"

mcp.server {
  name = "catalog",
  version = "1.0.0",
  infer_http_method_annotations = os.getenv "SEED_INFER" ~= "no",
}

--- List items with inferred readOnlyHint=True, destructiveHint=False, idempotentHint=True.
mcp.get("/items", { tool = "list_items" }, function()
  return { "espresso", "flat_white" }
end)

--- Search items via POST while overriding readOnlyHint=True.
mcp.post("/items/search", { tool = "search_items", mcp_read_only = true }, function(query)
  return { query }
end)

--- Replace an item with inferred readOnlyHint=False and idempotentHint=True.
mcp.put("/items/{item_id:str}", { tool = "replace_item" }, function(item_id)
  return { id = item_id, status = "replaced" }
end)

--- Inspect a catalog item with explicit decorator annotations.
mcp.get("/items/{item_id:str}/inspect", {
  tool = {
    name = "inspect_item",
    read_only = true,
    annotations = {
      title = "Inspect Catalog Item",
      readOnlyHint = true,
      destructiveHint = false,
      idempotentHint = true,
      openWorldHint = false,
    },
  },
}, function(item_id)
  return { id = item_id }
end)

--- Delete an item with inferred destructiveHint=True merged with mcp_annotations.
mcp.delete("/items/{item_id:str}", {
  tool = "delete_item",
  mcp_annotations = {
    title = "Delete Catalog Item",
    readOnlyHint = false,
    destructiveHint = true,
    idempotentHint = true,
    openWorldHint = false,
  },
  status = 200,
}, function(item_id)
  return { deleted = item_id }
end)

mcp.get("/regions", {
  tool = {
    name = "search_regions",
    input_schema = {
      ["$schema"] = "https://json-schema.org/draft/2020-12/schema",
      type = "object",
      properties = { region = { type = "string" } },
      required = { "region" },
      additionalProperties = false,
    },
  },
}, function(region)
  return { region }
end)

mcp.get("/reports/latest", { tool = "generate_report" }, function()
  return mcp.result {
    content = {
      mcp.text "Report generated.",
      mcp.resource_link {
        name = "report.pdf",
        uri = "mcpluad://latest_report",
        mime_type = "application/pdf",
      },
    },
    structured = { reportId = "latest" },
  }
end)

mcp.get("/reports/inline", { tool = "download_report" }, function()
  return mcp.embedded {
    uri = "memory://reports/latest.pdf",
    blob = "...pdf bytes...",
    mime_type = "application/pdf",
  }
end)

mcp.get("/reports/resource", { resource = "latest_report", mime_type = "application/pdf" },
  function()
    return "%PDF-1.7\255\0 pdf bytes"
  end)
