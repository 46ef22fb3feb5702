//go:build js && wasm && cel

package main

// The second build evaluates CEL, and has what else is rare. It is half as large again, and loaded by demos that need it, and when a reader asks
// for what the first one has not (cluster.NeedsLarger).
import _ "kubewalk/playground/controlplane/apiserver/cel/evaluator"
