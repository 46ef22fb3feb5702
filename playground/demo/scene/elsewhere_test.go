package scene

import (
	"testing"

	"kubewalk/playground/trace"
)

// TestNodeOfAnotherClusterWithoutPower: its machine is off, and it stays in the picture until its Node is gone.
func TestNodeOfAnotherClusterWithoutPower(t *testing.T) {
	for _, layout := range []Layout{Wide, Narrow} {
		s := NewStage(Options{Layout: layout, Insides: []string{"capi-controller-manager"}})
		does := func(deltas ...trace.Delta) { s.Apply(&trace.Event{Op: trace.Log, Deltas: deltas}) }
		machine := func(name string) trace.Cell { return trace.Cell{Kind: trace.CellComponent, Owner: name} }
		node := trace.Cell{Kind: trace.CellElsewhere, Owner: "walk", Key: "vm-1"}
		does(trace.Set(machine("containerd/vm-1"), "running"), trace.Set(machine("kubelet/vm-1"), "running"), trace.Set(node, "Ready"))
		if got := shapes(s)["node/vm-1"].State; got != "ready" {
			t.Errorf("%s: it is %q, not ready", layout, got)
		}
		does(trace.Set(machine("kubeadm/vm-1"), "running"))
		does(trace.Unset(machine("kubeadm/vm-1")))
		alone := shapes(s)["node/vm-1"].W
		does(trace.Unset(machine("containerd/vm-1")), trace.Unset(machine("kubelet/vm-1")))
		does(trace.Set(node, "NotReady"))
		if got := shapes(s)["node/vm-1"]; got.State != "down" || got.W != alone {
			t.Errorf("%s: without power it is %q, not down; %d wide, not %d", layout, got.State, got.W, alone)
		}
		does(trace.Unset(node))
		if _, is := shapes(s)["node/vm-1"]; is {
			t.Errorf("%s: its Node is gone, and it is in the picture", layout)
		}
	}
}
