package sim

import "iter"

// coroutine runs one process after the other. Requests come and go by the
// thousand, and a new coroutine's stack has to grow as deep as the one's before;
// so what a process leaves behind is given to the next.
type coroutine struct {
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	proc  *Proc // whose body it runs
}

// coroutineFor returns a coroutine whose next starts the process.
func (k *Kernel) coroutineFor(p *Proc) *coroutine {
	if n := len(k.idle); n > 0 {
		c := k.idle[n-1]
		k.idle = k.idle[:n-1]
		c.proc = p
		return c
	}
	c := &coroutine{proc: p}
	c.next, c.stop = iter.Pull(func(yield func(struct{}) bool) {
		c.yield = yield
		for {
			c.proc.run()
			if c.proc.killed || !yield(struct{}{}) {
				return
			}
		}
	})
	return c
}

// release takes back the coroutine of a process that has ended. One that was
// killed has ended with it.
func (k *Kernel) release(c *coroutine) {
	if !c.proc.killed {
		k.idle = append(k.idle, c)
	}
	c.proc.coroutine = nil
	c.proc = nil
}
