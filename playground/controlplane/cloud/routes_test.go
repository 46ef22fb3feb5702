package cloud_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/cloud"
	"kubewalk/playground/sim"
)

// lasting is a cloud that says of each instance that it is there: the fake server's patches replace lists, so Nodes lose their condition Ready.
type lasting struct{ *cloud.Cloud }

func (lasting) InstanceExists(*sim.Proc, *corev1.Node) (bool, error)   { return true, nil }
func (lasting) InstanceShutdown(*sim.Proc, *corev1.Node) (bool, error) { return false, nil }

func newRoutedWorld(t *testing.T) *world {
	return newWorldOf(t, func(c *cloud.Cloud) cloud.Provider {
		c.Routing()
		return lasting{c}
	})
}

// nodeOf creates a Node whose Pods have such addresses.
func (w *world) nodeOf(name string, uid types.UID, cidrs ...string) {
	w.change(func(p *sim.Proc) error {
		_, err := w.cs.CoreV1().Nodes().Create(p, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: uid}, Spec: corev1.NodeSpec{PodCIDRs: cidrs},
			Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}}, metav1.CreateOptions{})
		return err
	})
}

// network is what a Node's condition says of its routes.
func (w *world) network(name string) string {
	for _, c := range w.get(name).Status.Conditions {
		if c.Type == corev1.NodeNetworkUnavailable {
			return fmt.Sprint(c.Status, " ", c.Reason, ": ", c.Message)
		}
	}
	return ""
}

const (
	made   = "False RouteCreated: RouteController created a route"
	failed = "True NoRouteCreated: RouteController failed to create a route"
)

func TestARouteForEachNode(t *testing.T) {
	w := newRoutedWorld(t)
	if w.routes == nil || len(w.routes) != 0 {
		t.Errorf("before there is any route, the network has %q", w.routes)
	}
	w.nodeOf("node-1", "u-1", "10.244.1.0/24")
	w.nodeOf("node-2", "u-2")
	if got, want := w.network("node-1"), made; got != want {
		t.Errorf("node-1: got %q, want %q", got, want)
	}
	if got := w.network("node-2"); got != "" || !slices.Equal(w.routes, []string{"10.244.1.0/24"}) {
		t.Errorf("a Node without a range: %q, routes %q", got, w.routes)
	}
	w.change(func(p *sim.Proc) error {
		_, err := w.cs.CoreV1().Nodes().Patch(p, "node-2", types.MergePatchType, []byte(`{"spec":{"podCIDRs":["10.244.2.0/24"]}}`), metav1.PatchOptions{})
		return err
	})
	if got := w.network("node-2"); got != made || !slices.Equal(w.routes, []string{"10.244.1.0/24", "10.244.2.0/24"}) {
		t.Errorf("a Node that gets a range: %q, routes %q", got, w.routes)
	}
	w.change(func(p *sim.Proc) error { return w.cs.CoreV1().Nodes().Delete(p, "node-1", metav1.DeleteOptions{}) })
	if !slices.Equal(w.routes, []string{"10.244.2.0/24"}) {
		t.Errorf("node-1 is gone, routes %q", w.routes)
	}
	if got := w.messages("FailedToCreateRoute"); len(got) != 0 {
		t.Errorf("Events: %q", got)
	}
}

// TestRoutesThatFail: each look is a try, and the condition says how it ended.
func TestRoutesThatFail(t *testing.T) {
	for _, test := range []struct {
		fault *bool
		is    string
	}{{nil, `CreateRoute: instance node-9 not found`}, {new(bool), `CreateRoute: quota exceeded: region-1 has 0 routes of 0`}} {
		w := newRoutedWorld(t)
		node := "node-9"
		if test.fault != nil {
			node, test.fault = "node-1", &w.outage.RouteQuota
			*test.fault = true
		}
		w.nodeOf(node, "u", "10.244.1.0/24")
		if got := w.network(node); got != failed || len(w.routes) != 0 {
			t.Errorf("%s: got %q, routes %q", test.is, got, w.routes)
		}
		got := w.messages("FailedToCreateRoute")
		want := regexp.MustCompile(`^Warning Could not create route u 10\.244\.1\.0/24 for node ` + node + ` after \d+\.\d+ms: ` + test.is + `$`)
		if len(got) < 2 || !want.MatchString(got[0]) {
			t.Errorf("got %q\nwant some that match %v", got, want)
		}
		if test.fault == nil {
			continue
		}
		*test.fault = false
		w.k.RunUntil(w.k.Elapsed() + 15*time.Second)
		if got := w.network(node); got != made || len(w.routes) != 1 {
			t.Errorf("when the quota is larger: got %q, routes %q", got, w.routes)
		}
	}
}

// TestARouteToATerminatedInstance is a black hole: it goes, and there is no other.
func TestARouteToATerminatedInstance(t *testing.T) {
	w := newRoutedWorld(t)
	w.nodeOf("node-1", "u", "10.244.1.0/24")
	w.cloud.Terminate("node-1")
	w.k.RunUntil(w.k.Elapsed() + 15*time.Second)
	if got := w.network("node-1"); got != failed || len(w.routes) != 0 {
		t.Errorf("got %q, routes %q", got, w.routes)
	}
}

// TestTheCloudAnswersNothingAboutRoutes: what there is stays, and so does the condition.
func TestTheCloudAnswersNothingAboutRoutes(t *testing.T) {
	w := newRoutedWorld(t)
	w.nodeOf("node-1", "u", "10.244.1.0/24")
	w.outage.APIErrors = true
	w.nodeOf("node-2", "v", "10.244.2.0/24")
	if got := w.network("node-2"); got != "" || w.network("node-1") != made || !slices.Equal(w.routes, []string{"10.244.1.0/24"}) {
		t.Errorf("got %q, routes %q", got, w.routes)
	}
}

// table is a cloud whose routes a test writes.
type table struct {
	lasting
	routes  []*cloud.Route
	err     error // that there are
	deleted []string
	most    int // calls under way at once
	now     int
}

func (c *table) Routes() (cloud.Routes, bool) { return c, true }

func (c *table) ListRoutes(*sim.Proc, string) ([]*cloud.Route, error) {
	return slices.Clone(c.routes), c.err
}

func (c *table) CreateRoute(p *sim.Proc, cluster, hint string, r *cloud.Route) error {
	c.now++
	c.most = max(c.most, c.now)
	p.Sleep(time.Millisecond)
	c.now--
	c.routes = append(c.routes, &cloud.Route{Name: cluster + "/" + hint, TargetNode: r.TargetNode, DestinationCIDR: r.DestinationCIDR})
	return nil
}

func (c *table) DeleteRoute(_ *sim.Proc, _ string, route *cloud.Route) error {
	c.deleted = append(c.deleted, route.Name)
	c.routes = slices.DeleteFunc(c.routes, func(r *cloud.Route) bool { return r.Name == route.Name })
	return nil
}

// TestWhichRoutesGo: only those of this cluster's Pods, that nobody needs.
func TestWhichRoutesGo(t *testing.T) {
	c := &table{routes: []*cloud.Route{
		{Name: "kept", TargetNode: "node-1", DestinationCIDR: "10.244.1.0/24"},
		{Name: "of another node", TargetNode: "node-3", DestinationCIDR: "10.244.3.0/24"},
		{Name: "another range", TargetNode: "node-1", DestinationCIDR: "10.244.4.0/24"},
		{Name: "black hole", DestinationCIDR: "10.244.5.0/24", Blackhole: true},
		{Name: "begins here", TargetNode: "node-3", DestinationCIDR: "10.244.0.0/15"},
		{Name: "ends elsewhere", TargetNode: "node-3", DestinationCIDR: "10.0.0.0/8"},
		{Name: "default", TargetNode: "node-3", DestinationCIDR: "0.0.0.0/0"},
		{Name: "of another cluster", TargetNode: "node-3", DestinationCIDR: "10.245.1.0/24"},
		{Name: "broken", TargetNode: "node-3", DestinationCIDR: "here"},
	}}
	w := newWorldOf(t, func(inner *cloud.Cloud) cloud.Provider {
		c.lasting = lasting{inner}
		return c
	})
	w.nodeOf("node-1", "u", "10.244.1.0/24")
	slices.Sort(c.deleted)
	if want := "another range,begins here,black hole,of another node"; strings.Join(c.deleted, ",") != want {
		t.Errorf("deleted %q, want %s", c.deleted, want)
	}
	c.deleted, c.routes = nil, append(c.routes, &cloud.Route{Name: "too much", TargetNode: "node-1", DestinationCIDR: "10.244.9.0/24"})
	w.k.RunUntil(w.k.Elapsed() + 15*time.Second)
	if !slices.Equal(c.deleted, []string{"too much"}) {
		t.Errorf("deleted %q", c.deleted)
	}
	// A Node whose range was taken away has routes, and none of them is its own.
	w.change(func(p *sim.Proc) error {
		_, err := w.cs.CoreV1().Nodes().Patch(p, "node-1", types.MergePatchType, []byte(`{"spec":{"podCIDRs":null}}`), metav1.PatchOptions{})
		return err
	})
	if got := w.network("node-1"); got != failed {
		t.Errorf("without a range: %q", got)
	}
}

// TestManyRoutesAtOnce: no more than 200 calls are under way.
func TestManyRoutesAtOnce(t *testing.T) {
	c := &table{err: errors.New("not yet")}
	w := newWorldOf(t, func(inner *cloud.Cloud) cloud.Provider {
		c.lasting = lasting{inner}
		return c
	})
	w.change(func(p *sim.Proc) error {
		for i := range 250 {
			_, err := w.cs.CoreV1().Nodes().Create(p, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("node-", i), UID: types.UID(fmt.Sprint(i))},
				Spec: corev1.NodeSpec{PodCIDRs: []string{fmt.Sprintf("10.244.%d.0/24", i)}}}, metav1.CreateOptions{})
			if err != nil {
				return err
			}
		}
		return nil
	})
	c.err = nil
	w.k.RunUntil(w.k.Elapsed() + 15*time.Second)
	if len(c.routes) != 250 || c.most != 200 || !strings.HasPrefix(c.routes[249].Name, "kubernetes/") {
		t.Errorf("%d routes, %d calls at once", len(c.routes), c.most)
	}
}
