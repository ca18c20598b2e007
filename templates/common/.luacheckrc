std = "luajit"
files["spec"] = { std = "+busted" }
exclude_files = { "types" } -- for the editor; never executed
