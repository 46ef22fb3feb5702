package cluster

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/trace"
)

// BenchmarkGrowth is what a cluster costs that stands already, with 30 Pods on
// each hollow node, by its size: until all caches are full, a second at rest, and
// a hundred Pods more until they are Ready.
func BenchmarkGrowth(b *testing.B) {
	for _, nodes := range []int{10, 100, 1000, 5000} {
		b.Run(fmt.Sprintf("%dnodes", nodes), func(b *testing.B) {
			config := DefaultConfig()
			config.Nodes, config.Trace = nil, trace.Totals
			config.Controllers = []string{"deployment-controller", "replicaset-controller", "node-lifecycle-controller", "taint-eviction-controller"}
			config.HollowNodes = &HollowNodes{Count: nodes, Zones: 3}
			deployments := min(nodes, 50)
			config.KubeAPIQPS = 2000
			config.Preload = &Preload{Deployments: deployments, Replicas: nodes * 30 / deployments}
			var synced, rest, scaled time.Duration
			var megabytes, events int
			for range b.N {
				before := cpu()
				c := New(config, 1)
				c.RunUntil(5 * time.Second)
				synced += cpu() - before
				before = cpu()
				c.RunUntil(15 * time.Second)
				rest += cpu() - before
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				megabytes = int(m.HeapAlloc >> 20)
				n := int32(config.Preload.Replicas + 100)
				if err := c.Schedule(Input{At: c.Elapsed(), Kind: Scale, Resource: "deployments", Namespace: "default", Name: "app-1", Replicas: &n}); err != nil {
					b.Fatal(err)
				}
				start := c.Trace().Len()
				before = cpu()
				c.RunUntil(20 * time.Second)
				scaled += cpu() - before
				events = c.Trace().Len() - start
				if got := c.Trace().Event(trace.ID(c.Trace().Len())).Get("ready"); got != int64(deployments*config.Preload.Replicas+100) {
					b.Fatalf("%v Pods are Ready", got)
				}
				c.Close()
			}
			per := func(d time.Duration, n int) float64 { return float64(d.Microseconds()) / float64(b.N*n) / 1000 }
			b.ReportMetric(per(synced, 1), "cpu-ms-synced")
			b.ReportMetric(per(rest, 10), "cpu-ms/virtual-s")
			b.ReportMetric(per(scaled, 100), "cpu-ms/pod")
			b.ReportMetric(float64(megabytes), "MB")
			b.ReportMetric(float64(megabytes<<20)/float64(deployments*config.Preload.Replicas), "B/pod")
			b.ReportMetric(float64(events), "events")
		})
	}
}

// growing has one object for each controller that looks after many Pods. N stands for how many.
var growing = []struct {
	controller string
	others     []string // controllers beside it
	manifests  []string
	remove     string // the resource whose object is deleted half-way; "" for none
}{
	{controller: "replicaset-controller", manifests: []string{growingReplicaSet}},
	{controller: "deployment-controller", others: []string{"replicaset-controller"}, manifests: []string{
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"NAME"},"spec":{"replicas":N,` + selector + template + `}}`}},
	{controller: "daemonset-controller", manifests: []string{
		`{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"NAME"},"spec":{` + selector + template + `}}`}},
	{controller: "statefulset-controller", manifests: []string{
		`{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"NAME"},"spec":{"serviceName":"NAME","replicas":N,"podManagementPolicy":"Parallel",` +
			selector + template + `}}`}},
	{controller: "job-controller", manifests: []string{
		`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"NAME"},"spec":{"parallelism":N,"completions":N,"template":{"spec":{"restartPolicy":"Never",` +
			`"containers":[{"name":"c","image":"busybox:1.36","command":["sleep","2"]}]}}}}`}},
	{controller: "endpointslice-controller", others: []string{"replicaset-controller"}, manifests: []string{
		`{"apiVersion":"v1","kind":"Service","metadata":{"name":"NAME"},"spec":{"selector":{"app":"NAME"},"ports":[{"port":80}]}}`, growingReplicaSet}},
	{controller: "endpoints-controller", others: []string{"replicaset-controller"}, manifests: []string{
		`{"apiVersion":"v1","kind":"Service","metadata":{"name":"NAME"},"spec":{"selector":{"app":"NAME"},"ports":[{"port":80}]}}`, growingReplicaSet}},
	{controller: "disruption-controller", others: []string{"replicaset-controller"}, manifests: []string{
		`{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"NAME"},"spec":{` + selector + `"minAvailable":1}}`, growingReplicaSet}},
	{controller: "resourcequota-controller", others: []string{"replicaset-controller"}, manifests: []string{
		`{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"NAME"},"spec":{"hard":{"pods":"10000"}}}`, growingReplicaSet}},
	{controller: "garbage-collector-controller", others: []string{"replicaset-controller"}, manifests: []string{growingReplicaSet}, remove: "replicasets"},
}

const growingReplicaSet = `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"NAME"},"spec":{"replicas":N,` + selector + template + `}}`

// BenchmarkControllerGrowth is what a Pod costs of an object with 300 and with 3,000 of them, what all controllers, the scheduler and the hollow nodes do
// for it included, and how many times as much it is in the larger one. The same cluster without objects is taken off, and has few nodes, so that there is
// little to take off; small and large are run with as many Pods in all.
func BenchmarkControllerGrowth(b *testing.B) {
	const small, large, fewNodes = 300, 3000, 30
	for _, g := range growing {
		b.Run(g.controller, func(b *testing.B) {
			perPod := func(pods int) float64 {
				nodes := fewNodes
				if g.controller == "daemonset-controller" {
					nodes = pods
				}
				controllers := append(slices.Clone(g.others), g.controller)
				manyPods(b, nodes, pods, controllers, g.manifests, g.remove) // for caches and the heap to be as they will be
				var used time.Duration
				runs := b.N * large / pods
				for range runs {
					used += manyPods(b, nodes, pods, controllers, g.manifests, g.remove) - manyPods(b, nodes, 0, controllers, nil, "")
				}
				return float64(used.Nanoseconds()) / float64(runs*pods)
			}
			few, many := perPod(small), perPod(large)
			b.ReportMetric(few, "ns/pod-of-300")
			b.ReportMetric(many, "ns/pod-of-3000")
			b.ReportMetric(many/few, "times")
		})
	}
}

// manyPods is how long the processor works on four minutes of a cluster whose manifests make so many Pods.
func manyPods(b *testing.B, nodes, pods int, controllers, manifests []string, remove string) time.Duration {
	b.Helper()
	config := DefaultConfig()
	config.Nodes, config.Trace, config.Controllers, config.KubeAPIQPS = nil, trace.Totals, controllers, 2000
	config.HollowNodes = &HollowNodes{Count: nodes}
	c := New(config, 1)
	defer c.Close()
	const start = 12 * time.Second
	fill := strings.NewReplacer("NAME", "x", ":N,", fmt.Sprintf(":%d,", pods))
	for i, m := range manifests { // a second later each: a quota's status is there before the first Pod is
		if err := c.Schedule(Input{At: start + time.Duration(i)*time.Second, Kind: Apply, Manifest: []byte(fill.Replace(m))}); err != nil {
			b.Fatal(err)
		}
	}
	if remove != "" {
		if err := c.Schedule(Input{At: start + 2*time.Minute, Kind: Delete, Resource: remove, Namespace: "default", Name: "x"}); err != nil {
			b.Fatal(err)
		}
	}
	c.RunUntil(start - time.Millisecond)
	before := cpu()
	c.RunUntil(start + 2*time.Minute)
	made := len(c.objects("pods"))
	c.RunUntil(start + 4*time.Minute)
	used := cpu() - before
	if left := len(c.objects("pods")); made != pods || remove == "" && left != pods || remove != "" && left != 0 {
		b.Fatalf("%d Pods, then %d, of %d", made, left, pods)
	}
	for _, o := range c.Outcomes() {
		if o.Error != "" {
			b.Fatalf("%s: %s", o.Input, o.Error)
		}
	}
	return used
}
