//go:build js && wasm && cel

package main

// The second build evaluates CEL. It is half as large again, and loaded only by demos whose clusters do.
import _ "kubewalk/playground/controlplane/apiserver/cel/evaluator"
