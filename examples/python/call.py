"""Calls a tool of fsgate from Python: pip install wasmtime, then

    python3 call.py fsgate.wasm DIRECTORY TOOL JSON
"""

import sys
from types import SimpleNamespace

from wasmtime import Engine, Store, WasiConfig
from wasmtime.component import Component, Linker

component_file, directory, tool, arguments = sys.argv[1:]

engine = Engine()
linker = Linker(engine)
linker.add_wasip2()
wasi = WasiConfig()
wasi.preopen_dir(directory, "/work", True)  # False grants for reading only
store = Store(engine)
store.set_wasi(wasi)

instance = linker.instantiate(store, Component.from_file(engine, component_file))
agent = instance.get_export_index(store, "fsgate:tools/agent@0.1.0")
call = instance.get_func(store, instance.get_export_index(store, "call", agent))

answer = call(store, SimpleNamespace(tool=tool, arguments=arguments))
print(answer.payload.outcome if answer.tag == "ok" else answer.payload.error)
sys.exit(0 if answer.tag == "ok" else 1)
