//go:build js && !cel

package scene

import "kubewalk/playground/trace"

// elsewhere is in the larger build alone, as clusters that make others are.
type elsewhere struct{}

func (elsewhere) change(trace.Cell, string)                   {}
func (elsewhere) nodeState(string) (state string, says words) { return "", words{} }
func (*surroundings) drawElsewhere(func(Shape), string, rect) {}
func (elsewhere) has(string) bool                             { return false }
func (elsewhere) joined(string) bool                          { return false }
