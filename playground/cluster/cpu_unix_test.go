//go:build unix

package cluster

import (
	"syscall"
	"time"
)

// cpu is the processor time that this process has used, the garbage collector's
// included. On a busy machine it says more than the time on the wall.
func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
