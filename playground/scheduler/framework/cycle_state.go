package framework

// StateKey names what a plugin keeps for the length of one cycle.
type StateKey string

// CycleState is where plugins keep what they computed for one Pod, so that
// Filter and Score, which run once for each node, find it again.
// Upstream: pkg/scheduler/framework/cycle_state.go, CycleState.
type CycleState struct {
	data map[StateKey]any
	// SkipFilterPlugins and SkipScorePlugins are who answered Skip at PreFilter and PreScore.
	SkipFilterPlugins PluginSet
	SkipScorePlugins  PluginSet
}

// NewCycleState returns an empty state.
func NewCycleState() *CycleState { return &CycleState{data: map[StateKey]any{}} }

// Read returns what was written under key, or nil.
func (c *CycleState) Read(key StateKey) any { return c.data[key] }

// Write keeps value under key.
func (c *CycleState) Write(key StateKey, value any) { c.data[key] = value }

// ReadState reads what the plugin wrote with that type. ok is false when the
// plugin wrote nothing, as when the extension point before was not run.
func ReadState[T any](c *CycleState, key StateKey) (value T, ok bool) {
	value, ok = c.data[key].(T)
	return value, ok
}
