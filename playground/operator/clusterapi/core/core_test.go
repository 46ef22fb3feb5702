package core

import (
	"testing"

	"kubewalk/playground/api/metav1"
	"kubewalk/playground/operator/clusterapi/clusterv1"
)

// TestPriority is which Machine a MachineSet gives up first.
func TestPriority(t *testing.T) {
	machine := func(change func(m *clusterv1.Machine)) *clusterv1.Machine {
		m := &clusterv1.Machine{}
		m.Status.NodeRef.Name = "vm-1"
		m.Status.Conditions = []metav1.Condition{{Type: "NodeHealthy", Status: metav1.ConditionTrue}}
		change(m)
		return m
	}
	order := []*clusterv1.Machine{
		machine(func(m *clusterv1.Machine) { m.DeletionTimestamp = &metav1.Time{} }),
		machine(func(m *clusterv1.Machine) {
			m.Annotations = map[string]string{clusterv1.DeleteMachineAnnotation: "yes"}
		}),
		machine(func(m *clusterv1.Machine) { m.Status.NodeRef.Name = "" }),
		machine(func(m *clusterv1.Machine) {}),
	}
	for i := range order[1:] {
		if priority(order[i]) <= priority(order[i+1]) {
			t.Errorf("%d has priority %d, %d has %d", i, priority(order[i]), i+1, priority(order[i+1]))
		}
	}
	if sick := machine(func(m *clusterv1.Machine) { m.Status.Conditions[0].Status = metav1.ConditionFalse }); priority(sick) != priority(order[2]) {
		t.Errorf("a machine whose node is not healthy has priority %d", priority(sick))
	}
}

// TestList is how Pods are named in a condition.
func TestList(t *testing.T) {
	for want, pods := range map[string][]string{
		"Pod a/1":                          {"a/1"},
		"Pods a/1, a/2":                    {"a/1", "a/2"},
		"Pods a/1, a/2, a/3, ... (2 more)": {"a/1", "a/2", "a/3", "a/4", "a/5"},
	} {
		if got := list(pods); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
