"""The hub as an MCP server: a thin rim over what the command line calls, for programs that speak that protocol."""
