package sim

// SetAside says whether what runs from here on is for somebody outside who only looks, and returns whether it was before. What it
// begins or puts on the agenda is aside, too. It takes its time like everything else, but the rest of the world is the same
// as without it: it draws chance from streams of its own, numbers its messages by themselves, and leaves nothing in the trace.
//
// Code that serves both, as the wire of a watch that is open for such a client, sets it for what it does for each.
func (k *Kernel) SetAside(aside bool) (before bool) {
	before, k.aside = k.aside, aside
	return before
}

// IsAside tells whether what runs now is for somebody who only looks.
func (k *Kernel) IsAside() bool { return k.aside }
