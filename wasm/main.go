//go:build js && wasm

// Command wasm is the control plane in the reader's browser. It sets
// globalThis.kubewalk with the functions of session.Bridge, each taking and
// returning JSON text.
package main

import (
	"runtime/debug"
	"syscall/js"

	"kubewalk/playground/demo/session"
)

// garbagePercent is how much may be thrown away before the collector runs, in
// parts of what is in use. A run of a demo makes about 20 MB, and the reader
// waits for it in a single thread: collecting less often saves a fifth of that.
const garbagePercent = 400

func main() {
	debug.SetGCPercent(garbagePercent)
	b := &session.Bridge{}
	functions := map[string]any{}
	for _, name := range session.Functions {
		functions[name] = js.FuncOf(func(_ js.Value, args []js.Value) any {
			var text []byte
			if len(args) > 0 && args[0].Type() == js.TypeString {
				text = []byte(args[0].String())
			}
			return string(b.Call(name, text))
		})
	}
	js.Global().Set("kubewalk", js.ValueOf(functions))
	select {}
}
