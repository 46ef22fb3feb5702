package cluster_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

const (
	clockPod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"clock","labels":{"app":"clock"}},"spec":{"containers":[
		{"name":"c","image":"kubewalk.dev/clock-apiserver","ports":[{"containerPort":6443}]}]}}`
	clockService = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"clock"},"spec":{"selector":{"app":"clock"},"ports":[{"port":443,"targetPort":6443}]}}`
	clockGroup   = `{"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","metadata":{"name":"v1.clock.example.com"},"spec":{"group":"clock.example.com",
		"version":"v1","groupPriorityMinimum":1000,"versionPriority":15,"insecureSkipTLSVerify":true,"service":{"namespace":"default","name":"clock"}}}`
	shop = `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}`
)

// command runs kubectl and returns what came of it.
func (w *netWorld) command(line string) cluster.Outcome {
	w.Helper()
	w.do(cluster.Input{Kind: cluster.Command, Args: strings.Fields(line)})
	for end := w.Elapsed() + time.Minute; ; {
		all := w.Outcomes()
		if o := all[len(all)-1]; o.Done {
			return o
		}
		if w.Elapsed() > end {
			w.Fatal("kubectl never ended")
		}
		at, _ := w.Next()
		w.RunUntil(at)
	}
}

func (w *netWorld) prints(line, want string) {
	w.Helper()
	if o := w.command(line); !strings.Contains(o.Output+o.Error+o.Warning, want) {
		w.Errorf("%s: %s%s\nwant %s", line, o.Output, o.Error, want)
	}
}

func (w *netWorld) namespace(name string) *corev1.Namespace {
	ns, _ := w.Trace().Now()[trace.Cell{Kind: trace.CellObject, Owner: "namespaces", Key: name}].(*corev1.Namespace)
	return ns
}

// While the server behind a group is gone, no namespace can go; when it is back, they do, and with them what it has of them.
func TestNamespaceBehindAnAggregatedGroup(t *testing.T) {
	w := newNetWorld(t, 4, false, clockPod, clockService, clockGroup, shop)
	w.prints("api-resources --api-group=clock.example.com -o name", "alarms.clock.example.com\ntimes.clock.example.com")
	w.prints("get times", "tokyo   Asia/Tokyo")
	w.prints("get times.v1.clock.example.com utc -o yaml", "zone: UTC")
	w.try(`{"apiVersion":"clock.example.com/v1","kind":"Alarm","metadata":{"name":"a","namespace":"shop"},"spec":{"zone":"utc","at":"07:00"}}`)
	w.prints("get alarms -A", "shop")
	w.prints("get apiservice v1.clock.example.com", "default/clock   True")
	w.prints("delete alarm a -n shop", `alarm.clock.example.com "a" deleted`)
	w.prints("get alarms -n shop", "No resources found in shop namespace.")
	w.prints("label service clock app=other", "labeled")
	w.prints("patch service clock -p {\"spec\":{\"selector\":{\"app\":\"nobody\"}}}", "patched")
	w.RunUntil(w.Elapsed() + 2*time.Second)
	w.prints("get apiservice v1.clock.example.com", "False (MissingEndpoints)")
	w.prints("get times", "Error from server (ServiceUnavailable): the server is currently unable to handle the request (get times.clock.example.com)")
	const stale = "unable to retrieve the complete list of server APIs: clock.example.com/v1: stale GroupVersion discovery: clock.example.com/v1"
	w.prints("api-resources", "error: "+stale)
	w.prints("get --raw /apis/clock.example.com/v1", "the server is currently unable to handle the request")
	w.prints("delete namespace shop --wait=false", "deleted")
	w.RunUntil(w.Elapsed() + 3*time.Minute)
	ns := w.namespace("shop")
	if ns == nil {
		t.Fatal("the namespace is gone")
	}
	if c := ns.Status.Conditions[0]; c.Type != corev1.NamespaceDeletionDiscoveryFailure || c.Status != corev1.ConditionTrue || c.Reason != "DiscoveryFailed" ||
		c.Message != "Discovery failed for some groups, 1 failing: "+stale {
		t.Errorf("%v", c)
	}
	w.prints("patch service clock -p {\"spec\":{\"selector\":{\"app\":\"clock\"}}}", "patched")
	w.RunUntil(w.Elapsed() + 2*time.Minute)
	if w.namespace("shop") != nil {
		t.Error("the namespace is still there")
	}
}

// What is in a namespace of an aggregated kind goes with it.
func TestNamespaceWithAggregatedObjects(t *testing.T) {
	w := newNetWorld(t, 5, false, clockPod, clockService, clockGroup, shop)
	w.try(`{"apiVersion":"clock.example.com/v1","kind":"Alarm","metadata":{"name":"a","namespace":"shop"},"spec":{"zone":"utc","at":"07:00"}}`)
	w.prints("delete namespace shop --wait=false", "deleted")
	w.RunUntil(w.Elapsed() + time.Minute)
	if w.namespace("shop") != nil {
		t.Error("the namespace is still there")
	}
	w.prints("get alarms -A", "No resources found")
}
