// Package broken shows that the invariants of random experiments (playground/check/chaos) bite: it breaks the control plane on purpose, in one place at a
// time, as a programmer's mistake might, and sees that go run ./playground/check/trace -random N -check reports the invariant that is about it.
//
// All faults are compiled in at once, each behind a switch that the environment turns on. The sources stay as they are: go takes the changed files from an
// overlay. A fault names the text that it replaces; when somebody changes that code, the fault has to be said anew.
package broken
