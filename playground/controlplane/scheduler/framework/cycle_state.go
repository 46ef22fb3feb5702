package framework

// StateKey names what a plugin keeps for the length of one cycle.
type StateKey string

// CycleState is where plugins keep what they computed for one Pod, so that
// Filter and Score, which run once for each node, find it again.
// Upstream: pkg/scheduler/framework/cycle_state.go, CycleState.
type CycleState struct {
	data []datum // a handful, in the order in which they were written: looking through them is faster than a map
	// SkipFilterPlugins and SkipScorePlugins are who answered Skip at PreFilter and PreScore.
	SkipFilterPlugins PluginSet
	SkipScorePlugins  PluginSet
	// SkipPreBindPlugins are who said before the binding that they have no work.
	SkipPreBindPlugins PluginSet
}

type datum struct {
	key   StateKey
	value any
}

// StateData is what a plugin keeps that changes after PreFilter. What does not
// change needs no Clone.
type StateData interface{ Clone() StateData }

// Clone returns a state that changes on its own, for a question that begins with "what if".
func (c *CycleState) Clone() *CycleState {
	if c == nil {
		return nil
	}
	out := &CycleState{data: make([]datum, 0, len(c.data)), SkipFilterPlugins: c.SkipFilterPlugins, SkipScorePlugins: c.SkipScorePlugins,
		SkipPreBindPlugins: c.SkipPreBindPlugins}
	for _, d := range c.data {
		if data, ok := d.value.(StateData); ok {
			d.value = data.Clone()
		}
		out.data = append(out.data, d)
	}
	return out
}

// NewCycleState returns an empty state.
func NewCycleState() *CycleState { return &CycleState{} }

// Read returns what was written under key, or nil.
func (c *CycleState) Read(key StateKey) any {
	for i := range c.data {
		if c.data[i].key == key {
			return c.data[i].value
		}
	}
	return nil
}

// Write keeps value under key.
func (c *CycleState) Write(key StateKey, value any) {
	for i := range c.data {
		if c.data[i].key == key {
			c.data[i].value = value
			return
		}
	}
	c.data = append(c.data, datum{key, value})
}

// ReadState reads what the plugin wrote with that type. ok is false when the
// plugin wrote nothing, as when the extension point before was not run.
func ReadState[T any](c *CycleState, key StateKey) (value T, ok bool) {
	value, ok = c.Read(key).(T)
	return value, ok
}
