//go:build js && wasm

// Command wasm is the control plane in the reader's browser. It sets
// globalThis.kubewalk with the functions of session.Bridge, each taking and
// returning JSON text.
package main

import (
	"math"
	"runtime/debug"
	"syscall/js"

	"kubewalk/playground/demo/session"
)

// garbagePercent is how much may be thrown away before the collector runs, in
// parts of what is in use. A run of a demo makes about 20 MB, and the reader
// waits for it in a single thread: collecting less often saves a fifth of that.
const garbagePercent = 400

// large is how much memory each cluster that begins with very many objects may take, bytes, before the collector runs. The largest, of 150,000
// Pods, makes 600 MB until it stands and keeps 350 of them. To look for garbage before would take two seconds and find little.
const (
	large = 672 << 20
	never = -1
)

// pace says when the collector runs, with so many large clusters.
func pace(n int) {
	if n == 0 {
		debug.SetGCPercent(garbagePercent)
		debug.SetMemoryLimit(math.MaxInt64)
		return
	}
	debug.SetMemoryLimit(int64(n) * large)
	debug.SetGCPercent(never)
}

func main() {
	pace(0)
	b := &session.Bridge{Large: pace}
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
