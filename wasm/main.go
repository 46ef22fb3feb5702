//go:build js && wasm

// Command wasm is the control plane in the reader's browser. It sets
// globalThis.kubewalk with the functions of session.Bridge, each taking and
// returning JSON text.
package main

import (
	"syscall/js"

	"kubewalk/playground/session"
)

func main() {
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
