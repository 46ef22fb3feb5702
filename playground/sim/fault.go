package sim

import "time"

// SetLag makes a program slow: whatever one of its processes is woken for, or
// begun for, it gets to it d later, as on a machine that is short of CPU. What
// a process sleeps it sleeps as before. 0 ends it. It holds for the component of
// that name that runs now and for those to come.
func (k *Kernel) SetLag(name string, d time.Duration) {
	if k.lags == nil {
		k.lags = map[string]time.Duration{}
	}
	k.lags[name] = d
	for _, c := range k.components {
		if c.name == name {
			c.lag = d
		}
	}
}

// SetTrap has do called whenever a process of a program begins a piece of work
// (Proc.Work). It is for a program that has a mistake in it: do may stop the
// component. nil ends it. It holds for the component of that name that runs now
// and for those to come.
func (k *Kernel) SetTrap(name string, do func()) {
	if k.traps == nil {
		k.traps = map[string]func(){}
	}
	k.traps[name] = do
	for _, c := range k.components {
		if c.name == name {
			c.trap = do
		}
	}
}

// Work says that the process begins a piece of work: a key from a queue, a Pod
// to schedule or to sync. It does not return when that is where the program dies.
func (p *Proc) Work() {
	c := p.component
	if c.trap == nil {
		return
	}
	c.trap()
	if c.stopped {
		panic(killed{})
	}
}

// Component is the one of that name that runs now; nil for none.
func (k *Kernel) Component(name string) *Component {
	for _, c := range k.components {
		if c.name == name {
			return c
		}
	}
	return nil
}
