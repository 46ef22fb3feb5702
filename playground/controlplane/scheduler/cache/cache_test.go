package cache

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/types"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

func newCache(t *testing.T) (*Cache, *sim.Kernel) {
	k := sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
	t.Cleanup(k.Close)
	return New(k), k
}

func pod(name, node string) *corev1.Pod {
	p := &corev1.Pod{}
	p.Namespace, p.Name, p.UID = "default", name, types.UID(name)
	p.Spec.NodeName = node
	p.Spec.Containers = []corev1.Container{{
		Ports:     []corev1.ContainerPort{{HostPort: 80}},
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: *resource.NewMilliQuantity(100, resource.DecimalSI)}},
	}}
	return p
}

func node(name, zone string, images ...string) *corev1.Node {
	n := &corev1.Node{}
	n.Name = name
	if zone != "" {
		n.Labels = map[string]string{corev1.LabelTopologyZone: zone}
	}
	for _, i := range images {
		n.Status.Images = append(n.Status.Images, corev1.ContainerImage{Names: []string{i}, SizeBytes: 10})
	}
	return n
}

// show prints what is counted on each node, and what is assumed.
func show(c *Cache, k *sim.Kernel) string {
	s := NewSnapshot()
	c.UpdateSnapshot(s)
	var out []string
	for _, n := range s.List() {
		out = append(out, fmt.Sprintf("%s: %d Pods %dm %d ports", n.Name(), len(n.Pods), n.Requested.MilliCPU, len(n.UsedPorts)))
	}
	for _, cell := range k.Trace().Now().Cells(trace.CellAssumed) {
		out = append(out, "assumed "+cell.Key+" on "+cell.Owner)
	}
	return strings.Join(out, ", ")
}

func TestAssumptions(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(c *Cache) error
		want string
		err  string
	}{
		{"assumed", func(c *Cache) error { return nil }, "a: 1 Pods 100m 1 ports, b: 0 Pods 0m 0 ports, assumed default/p on a", ""},
		{"assumed twice", func(c *Cache) error { _, err := c.AssumePod(pod("p", "b")); return err },
			"a: 1 Pods 100m 1 ports, b: 0 Pods 0m 0 ports, assumed default/p on a", "is in the cache, so can't be assumed"},
		{"forgotten", func(c *Cache) error { return c.ForgetPod(pod("p", "a"), "test") }, "a: 0 Pods 0m 0 ports, b: 0 Pods 0m 0 ports", ""},
		{"forgotten on the wrong node", func(c *Cache) error { return c.ForgetPod(pod("p", "b"), "test") },
			"a: 1 Pods 100m 1 ports, b: 0 Pods 0m 0 ports, assumed default/p on a", "was assumed on b but assigned to a"},
		{"confirmed", func(c *Cache) error { return c.AddPod(pod("p", "a")) }, "a: 1 Pods 100m 1 ports, b: 0 Pods 0m 0 ports", ""},
		{"bound elsewhere by somebody else", func(c *Cache) error { return c.AddPod(pod("p", "b")) }, "a: 0 Pods 0m 0 ports, b: 1 Pods 100m 1 ports", ""},
		{"confirmed, then forgotten", func(c *Cache) error { c.AddPod(pod("p", "a")); return c.ForgetPod(pod("p", "a"), "test") },
			"a: 1 Pods 100m 1 ports, b: 0 Pods 0m 0 ports", "wasn't assumed so cannot be forgotten"},
		{"confirmed twice", func(c *Cache) error { c.AddPod(pod("p", "a")); return c.AddPod(pod("p", "a")) },
			"a: 1 Pods 100m 1 ports, b: 0 Pods 0m 0 ports", "was already in added state"},
		{"deleted while assumed", func(c *Cache) error { return c.RemovePod(pod("p", "a")) }, "a: 0 Pods 0m 0 ports, b: 0 Pods 0m 0 ports", ""},
		{"its node is gone", func(c *Cache) error { return c.RemoveNode(node("a", "")) }, "b: 0 Pods 0m 0 ports, assumed default/p on a", ""},
		{"its node went and came back", func(c *Cache) error { c.RemoveNode(node("a", "")); c.AddNode(node("a", "")); return nil },
			"b: 0 Pods 0m 0 ports, a: 1 Pods 100m 1 ports, assumed default/p on a", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			cache, k := newCache(t)
			cache.AddNode(node("a", ""))
			cache.AddNode(node("b", ""))
			if _, err := cache.AssumePod(pod("p", "a")); err != nil {
				t.Fatal(err)
			}
			err := c.do(cache)
			if got := fmt.Sprint(err); (err == nil) != (c.err == "") || !strings.Contains(got, c.err) {
				t.Errorf("error %v, want %q", err, c.err)
			}
			if got := show(cache, k); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestNodesComeZoneByZone(t *testing.T) {
	c, _ := newCache(t)
	for _, n := range []*corev1.Node{node("a1", "a"), node("a2", "a"), node("a3", "a"), node("b1", "b"), node("c1", "c"), node("c2", "c")} {
		c.AddNode(n)
	}
	if got := fmt.Sprint(c.tree.list()); got != "[a1 b1 c1 a2 c2 a3]" {
		t.Error(got)
	}
	c.UpdateNode(node("a1", "a"), node("a1", "b"))
	if err := c.RemoveNode(node("c1", "c")); err != nil {
		t.Error(err)
	}
	if got := fmt.Sprint(c.tree.list()); got != "[a2 b1 c2 a3 a1]" {
		t.Error(got)
	}
}

func TestASnapshotDoesNotChange(t *testing.T) {
	c, _ := newCache(t)
	c.AddNode(node("a", "", "nginx"))
	c.AddNode(node("b", ""))
	s := NewSnapshot()
	c.UpdateSnapshot(s)
	before, b := s.Get("a"), s.Get("b")
	if _, err := c.AssumePod(pod("p", "a")); err != nil {
		t.Fatal(err)
	}
	if len(before.Pods) != 0 || len(before.UsedPorts) != 0 || before.Requested.MilliCPU != 0 {
		t.Errorf("an assumption changed a snapshot: %+v", before)
	}
	c.UpdateSnapshot(s)
	if len(s.Get("a").Pods) != 1 {
		t.Error("the next snapshot does not have the Pod")
	}
	if s.Get("b") != b {
		t.Error("a node that did not change was copied")
	}
}

func TestImagesAreCountedOverNodes(t *testing.T) {
	c, _ := newCache(t)
	c.AddNode(node("a", "", "nginx"))
	c.AddNode(node("b", "", "nginx"))
	s := NewSnapshot()
	for _, want := range []int{2, 1} {
		c.UpdateSnapshot(s)
		if got := s.Get("a").ImageStates["nginx"]; got.NumNodes != want || got.Size != 10 {
			t.Errorf("%+v, want %d nodes", got, want)
		}
		c.UpdateNode(node("b", "", "nginx"), node("b", ""))
	}
}

// Between two versions of a snapshot that follow each other, exactly the places that are told of may differ.
func TestSnapshotTellsWhatChanged(t *testing.T) {
	c, k := newCache(t)
	chance := k.Rand("test")
	nodes, there := []*corev1.Node{}, map[*corev1.Node]bool{}
	for i := range 6 {
		nodes = append(nodes, node(fmt.Sprint("n", i), fmt.Sprint("zone-", i%2)))
		c.AddNode(nodes[i])
		there[nodes[i]] = true
	}
	s, pods, followed := NewSnapshot(), 0, 0
	c.UpdateSnapshot(s)
	for step := range 300 {
		version, before := s.version, slices.Clone(s.List())
		for range chance.IntN(3) {
			n := nodes[chance.IntN(len(nodes))]
			switch {
			case chance.IntN(12) > 0:
				pods++
				if err := c.AddPod(pod(fmt.Sprint("p", pods), n.Name)); err != nil {
					t.Fatal(err)
				}
			case there[n]:
				if err := c.RemoveNode(n); err != nil {
					t.Fatal(err)
				}
				there[n] = false
			default:
				c.AddNode(n)
				there[n] = true
			}
		}
		c.UpdateSnapshot(s)
		now, changed := s.Changed()
		switch now {
		case version:
			changed = nil
		case version + 1:
			followed++
		default:
			continue
		}
		for i, n := range s.List() {
			if n != before[i] && !slices.Contains(changed, i) {
				t.Fatalf("step %d: node %s changed, and only %v are told of", step, n.Name(), changed)
			}
		}
	}
	if followed < 100 {
		t.Errorf("only %d versions followed the one before", followed)
	}
}
