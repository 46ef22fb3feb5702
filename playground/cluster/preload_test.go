package cluster

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/trace"
)

// hollowConfig is a small cluster of hollow nodes.
func hollowConfig(nodes int) Config {
	config := DefaultConfig()
	config.Nodes, config.Trace = nil, trace.Objects
	config.Controllers = []string{"deployment-controller", "replicaset-controller", "node-lifecycle-controller"}
	config.HollowNodes = &HollowNodes{Count: nodes, Zones: 2}
	return config
}

// chance is what differs from run to run: times, UIDs, revisions, the ends of names, addresses.
var chance = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z|[0-9a-f]{8}-[0-9a-f-]{27}|"resourceVersion":"\d+"|-[bcdfghjklmnpqrstvwxz2456789]{5}"|10\.128\.\d+\.\d+|172\.16\.0\.\d+|hollow-[ab]-\d`)

// shapes are a cluster's objects of a resource without what is chance.
func (c *Cluster) shapes(t *testing.T, resource string) (out []string) {
	t.Helper()
	for _, obj := range c.objects(resource) {
		text, err := api.Encode(obj)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, chance.ReplaceAllString(string(text), "…"))
	}
	slices.Sort(out)
	return out
}

// What was preloaded is what would have grown.
func TestPreloadedIsAsGrown(t *testing.T) {
	grown := New(hollowConfig(4), 1)
	defer grown.Close()
	config := hollowConfig(4)
	config.Preload = &Preload{Deployments: 2, Replicas: 6}
	preloaded := New(config, 1)
	defer preloaded.Close()
	for i := 1; i <= 2; i++ {
		manifest := fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":%q,"labels":{"app":%[1]q}},"spec":{"replicas":6,`+
			`"selector":{"matchLabels":{"app":%[1]q}},"template":{"metadata":{"labels":{"app":%[1]q}},"spec":{"containers":[`+
			`{"name":"app","image":"nginx:1.27","resources":{"requests":{"cpu":"100m","memory":"128Mi"}}}]}}}}`, PreloadedDeployment(i))
		must(grown.Schedule(Input{At: 5 * time.Second, Kind: Create, Manifest: []byte(manifest)}))
	}
	grown.RunUntil(30 * time.Second)
	for _, resource := range []string{"nodes", "leases", "deployments", "replicasets", "pods"} {
		want, got := grown.shapes(t, resource), preloaded.shapes(t, resource)
		if len(want) == 0 || strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: preloaded\n%s\ngrown\n%s", resource, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	// Nobody finds anything to change in it, and it goes on from there.
	preloaded.RunUntil(20 * time.Second)
	for i := range preloaded.Trace().Len() {
		e := preloaded.Trace().Event(trace.ID(i + 1))
		if e.Op == trace.StoreCommit && e.At > 0 && (e.Object.Resource == "pods" || e.Object.Resource == "replicasets" || e.Object.Resource == "deployments") {
			t.Errorf("at %v somebody wrote %v", e.At, e.Object)
		}
	}
	n := int32(8)
	must(preloaded.Schedule(Input{At: preloaded.Elapsed(), Kind: Scale, Resource: "deployments", Namespace: "default", Name: "app-1", Replicas: &n}))
	preloaded.RunUntil(30 * time.Second)
	addresses := map[string]bool{}
	for _, obj := range preloaded.objects("pods") {
		pod := obj.(*corev1.Pod)
		if !isReady(pod) || addresses[pod.Status.PodIP] || metav1.GetControllerOf(pod) == nil {
			t.Errorf("Pod %s: phase %s, address %s", pod.Name, pod.Status.Phase, pod.Status.PodIP)
		}
		addresses[pod.Status.PodIP] = true
	}
	if len(addresses) != 14 {
		t.Errorf("%d Pods, not 14", len(addresses))
	}
}

// A hollow node without power falls silent, and its Pods stop being ready; with power it is as before.
func TestHollowNodesLosePower(t *testing.T) {
	config := hollowConfig(4)
	config.Trace = trace.Totals
	config.Preload = &Preload{Deployments: 1, Replicas: 8}
	c := New(config, 1)
	defer c.Close()
	must(c.Schedule(Input{At: 20 * time.Second, Kind: KillNode, Node: "hollow-a-*"}))
	must(c.Schedule(Input{At: 120 * time.Second, Kind: StartNode, Node: "hollow-a-*"}))
	must(c.Schedule(Input{At: 121 * time.Second, Kind: StartNode, Node: "hollow-a-1"}))
	said := func() string {
		for id := c.Trace().Len(); id > 0; id-- {
			if e := c.Trace().Event(trace.ID(id)); e.Op == trace.Summary {
				return fmt.Sprint(e.Get("nodesReady"), "/", e.Get("nodes"), " nodes, ", e.Get("ready"), " ready, ", e.Get("notReady"), " not")
			}
		}
		return ""
	}
	for _, step := range []struct {
		at   time.Duration
		want string
	}{
		{60 * time.Second, "4/4 nodes, 8 ready, 0 not"},
		{90 * time.Second, "2/4 nodes, 4 ready, 4 not"},
		{130 * time.Second, "4/4 nodes, 4 ready, 4 not"},
	} {
		if c.RunUntil(step.at); said() != step.want {
			t.Errorf("at %v: %s, want %s", step.at, said(), step.want)
		}
	}
	if got := c.Outcomes()[2].Error; got != `node "hollow-a-1" runs already` {
		t.Errorf("a node that runs was started: %q", got)
	}
}
