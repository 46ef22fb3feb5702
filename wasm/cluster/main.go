//go:build js && wasm

// Command cluster is a cluster for programs in JavaScript. It sets globalThis.kubewalkCluster with the functions of jsapi.Bridge, each taking and
// returning JSON text. It is a command of its own because a page of the book needs none of it, and a program none of what shows demos.
package main

import (
	"runtime/debug"
	"syscall/js"

	"kubewalk/playground/jsapi"
)

// garbagePercent is as in the command for the book's pages.
const garbagePercent = 400

func main() {
	debug.SetGCPercent(garbagePercent)
	b := &jsapi.Bridge{}
	functions := map[string]any{}
	for _, name := range jsapi.Functions {
		functions[name] = js.FuncOf(func(_ js.Value, args []js.Value) any {
			return string(b.Call(name, []byte(args[0].String())))
		})
	}
	js.Global().Set("kubewalkCluster", js.ValueOf(functions))
	select {}
}
