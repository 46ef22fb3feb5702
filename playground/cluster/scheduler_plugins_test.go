package cluster_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	schedulerconfig "kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/trace"
)

const (
	podGroups = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"podgroups.scheduling.x-k8s.io"},"spec":{
		"group":"scheduling.x-k8s.io","scope":"Namespaced","names":{"kind":"PodGroup","plural":"podgroups"},"versions":[{"name":"v1alpha1","served":true,
		"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}}`
	podGroup = `{"apiVersion":"scheduling.x-k8s.io/v1alpha1","kind":"PodGroup","metadata":{"name":"%s"},"spec":{"minMember":%d,"scheduleTimeoutSeconds":5}}`
	member   = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s","labels":{"scheduling.x-k8s.io/pod-group":"%s"}},"spec":{
		"terminationGracePeriodSeconds":0,"containers":[{"name":"c","image":"kubewalk.dev/app","resources":{"requests":{"cpu":"%dm"}}}]}}`
)

// gangs is a cluster whose scheduler has Coscheduling.
func gangs(t *testing.T, seed uint64, nodes int, args string) *cluster.Cluster {
	t.Helper()
	config := cluster.DefaultConfig()
	config.Nodes = cluster.NumberedNodes(nodes)
	config.SchedulerPlugins = []string{"Coscheduling"}
	profiles, err := cluster.ParseProfiles([]byte(`[{"plugins":{"multiPoint":{"enabled":[{"name":"Coscheduling"}],"disabled":[{"name":"PrioritySort"}]}},
		"pluginConfig":[{"name":"Coscheduling","args":` + args + `}]}]`))
	if err != nil {
		t.Fatal(err)
	}
	config.SchedulerProfiles = profiles
	c := cluster.New(config, seed)
	t.Cleanup(c.Close)
	create(t, c, 3*time.Second, podGroups) // the scheduler finds it by the next time that its informer tries
	c.RunUntil(13 * time.Second)
	return c
}

func create(t *testing.T, c *cluster.Cluster, at time.Duration, manifest string) {
	t.Helper()
	if err := c.Schedule(cluster.Input{At: at, Kind: cluster.Apply, Manifest: []byte(manifest)}); err != nil {
		t.Fatal(err)
	}
}

// bound is on how many nodes Pods of a group are, and how many of them.
func bound(c *cluster.Cluster, group string) (n int) {
	s := c.Trace().Now()
	for _, cell := range s.Cells(trace.CellObject) {
		if pod, ok := s[cell].(*corev1.Pod); ok && pod.Labels["scheduling.x-k8s.io/pod-group"] == group && pod.Spec.NodeName != "" {
			n++
		}
	}
	return n
}

func scheduled(t *testing.T, c *cluster.Cluster, name string) string {
	t.Helper()
	pod, ok := c.Trace().Now()[trace.Cell{Kind: trace.CellObject, Owner: "pods", Key: "default/" + name}].(*corev1.Pod)
	if !ok {
		t.Fatalf("there is no pod %s", name)
	}
	for _, cond := range pod.Status.Conditions {
		if cond.Type == corev1.PodScheduled {
			return string(cond.Status) + " " + cond.Reason + ": " + cond.Message
		}
	}
	return ""
}

func TestCoscheduling(t *testing.T) {
	c := gangs(t, 1, 3, `{"podGroupBackoffSeconds":3}`)
	create(t, c, c.Elapsed(), fmt.Sprintf(podGroup, "g", 3))
	for i := range 2 {
		create(t, c, c.Elapsed()+time.Second, fmt.Sprintf(member, fmt.Sprint("m", i), "g", 3000))
	}
	c.RunUntil(16 * time.Second)
	const few = "False Unschedulable: 0/3 nodes are available: pre-filter pod m0 cannot find enough sibling pods, current pods number: 2, minMember of group: 3. " +
		"no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling., " +
		"PodGroup default/g gets rejected due to Pod m0 is unschedulable even after PostFilter"
	if got := strings.Replace(scheduled(t, c, "m0"), "current pods number: 1", "current pods number: 2", 1); got != few {
		t.Errorf("%s\nwant\n%s", got, few)
	}
	create(t, c, c.Elapsed(), fmt.Sprintf(member, "m2", "g", 3000))
	c.RunUntil(18 * time.Second)
	if n := bound(c, "g"); n != 3 {
		t.Errorf("%d members are bound; m0: %s", n, scheduled(t, c, "m0"))
	}
	// A group that cannot be complete: one member waits, and the next sends it back.
	create(t, c, c.Elapsed(), fmt.Sprintf(podGroup, "h", 2))
	for i := range 2 {
		create(t, c, c.Elapsed(), fmt.Sprintf(member, fmt.Sprint("h", i), "h", []int{1000, 3900}[i]))
	}
	c.RunUntil(25 * time.Second)
	if n := bound(c, "h"); n != 0 {
		t.Errorf("%d members of a group that does not fit are bound", n)
	}
	recent := 0
	for i := range c.Trace().Len() {
		for _, a := range c.Trace().Event(trace.ID(i + 1)).Attrs {
			if strings.Contains(fmt.Sprint(a.Value), "podGroup default/h failed recently") {
				recent++
			}
		}
	}
	if recent == 0 {
		t.Error("the group was not left alone")
	}
	// Nobody's group.
	create(t, c, c.Elapsed(), fmt.Sprintf(member, "lost", "nowhere", 100))
	c.RunUntil(27 * time.Second)
	if got := scheduled(t, c, "lost"); !strings.Contains(got, "PodGroup not found") {
		t.Error(got)
	}
}

// TestPermitTimesOut: a member that waits for one that a gate keeps out gives up, and frees its place.
func TestPermitTimesOut(t *testing.T) {
	c := gangs(t, 2, 1, `{}`)
	create(t, c, c.Elapsed(), fmt.Sprintf(podGroup, "g", 2))
	create(t, c, c.Elapsed(), fmt.Sprintf(member, "a", "g", 100))
	create(t, c, c.Elapsed(), strings.Replace(fmt.Sprintf(member, "b", "g", 100), `"spec":{`, `"spec":{"schedulingGates":[{"name":"example.com/wait"}],`, 1))
	c.RunUntil(c.Elapsed() + 7*time.Second)
	if got := scheduled(t, c, "a"); !strings.Contains(got, "rejected due to timeout after waiting at plugin Coscheduling") {
		t.Error(got)
	}
}

const (
	extenderPod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"inventory","labels":{"app":"inventory"}},"spec":{"terminationGracePeriodSeconds":0,
		"containers":[{"name":"c","image":"kubewalk.dev/scheduler-extender","args":["--reject=node-1=no licences","--score=node-3=10"]}]}}`
	extenderService = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"inventory"},"spec":{"clusterIP":"10.96.0.50","selector":{"app":"inventory"},
		"ports":[{"port":80,"targetPort":8888}]}}`
	licensed = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s"},"spec":{"terminationGracePeriodSeconds":0,"containers":[{"name":"c",
		"image":"kubewalk.dev/app","resources":{"limits":{"example.com/licence":"1"}}}]}}`
)

func TestExtender(t *testing.T) {
	for _, ignorable := range []bool{false, true} {
		for _, capable := range []bool{false, true} {
			config := cluster.DefaultConfig()
			config.Network = true
			config.SchedulerExtenders = []cluster.SchedulerExtender{{URLPrefix: "http://10.96.0.50", FilterVerb: "filter", PrioritizeVerb: "prioritize", Weight: 5,
				NodeCacheCapable: capable, Ignorable: ignorable}}
			config.SchedulerExtenders[0].ManagedResources = []schedulerconfig.ExtenderManagedResource{{Name: "example.com/licence", IgnoredByScheduler: true}}
			w := &netWorld{t, cluster.New(config, 3), 3}
			t.Cleanup(w.Close)
			for _, m := range []string{extenderPod, extenderService} {
				w.do(cluster.Input{At: 12 * time.Second, Kind: cluster.Apply, Manifest: []byte(m)})
			}
			w.RunUntil(25 * time.Second)
			w.try(fmt.Sprintf(licensed, "first"))
			w.RunUntil(w.Elapsed() + 2*time.Second)
			w.prints("get pod first -o jsonpath={.spec.nodeName}", "node-3")
			w.prints("logs inventory", "POST /filter")
			w.prints("delete pod inventory", "deleted")
			w.RunUntil(w.Elapsed() + 5*time.Second)
			w.try(fmt.Sprintf(licensed, "second"))
			w.RunUntil(w.Elapsed() + 2*time.Second)
			const refused = `Post "http://10.96.0.50/filter": dial tcp 10.96.0.50:80: connect: connection refused`
			if ignorable {
				w.prints("get pod second -o jsonpath={.spec.nodeName}", "node-")
				continue
			}
			if got := scheduled(t, w.Cluster, "second"); got != "False SchedulerError: "+refused {
				t.Error(got)
			}
			w.try(extenderPod)
			w.RunUntil(w.Elapsed() + 20*time.Second)
			w.prints("get pod second -o jsonpath={.spec.nodeName}", "node-3")
		}
	}
}

func TestSchedulerConfigurationsThatAreRefused(t *testing.T) {
	type extenders = []cluster.SchedulerExtender
	for _, c := range []struct {
		config cluster.Config
		want   string
	}{
		{cluster.Config{SchedulerPlugins: []string{"Gang"}}, `this build of the control plane has no scheduler plugin "Gang"`},
		{cluster.Config{SchedulerExtenders: extenders{{URLPrefix: "http://a"}}}, "schedulerExtenders needs network"},
		{cluster.Config{Network: true, SchedulerExtenders: extenders{{URLPrefix: "http://a", PrioritizeVerb: "p"}}},
			"extenders[0].weight: Invalid value: 0: must have a positive weight applied to it"},
		{cluster.Config{Network: true, SchedulerExtenders: extenders{{URLPrefix: "http://a", BindVerb: "b"}, {URLPrefix: "http://b", BindVerb: "b"}}},
			`extenders: Invalid value: "found 2 extenders implementing bind": only one extender can implement bind`},
	} {
		if err := c.config.Validate(); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
