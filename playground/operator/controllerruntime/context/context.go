// Package context is what a reconciler is given beside its request. Upstream it is Go's own, which carries the end of the program and the
// logger; here it carries the process that runs, because that says who calls, and when.
package context

import "kubewalk/playground/sim"

// Context goes to everything that takes time.
type Context struct {
	Proc   *sim.Proc
	Logger sim.Logger // with what all lines of this reconciliation have in common
}
