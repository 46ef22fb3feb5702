package sitebuild

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// atOnce does n things on all processors, and returns when all are done.
func atOnce(n int, do func(i int)) {
	var next atomic.Int64
	var running sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		running.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
			}
		})
	}
	running.Wait()
}
