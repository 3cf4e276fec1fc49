"""The commands, one per file: each parses its arguments, calls the library and prints the result.

Modules that are slow to import (`evaluate`, `mcp`) are imported inside the command that needs them: `thumbindex --help` must be
quick.
"""
