package scheduler_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/eventsv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/apiserver"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/scheduler"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// cluster is the real API server, a scheduler and somebody with kubectl.
type cluster struct {
	t      *testing.T
	kernel *sim.Kernel
	cs     *client.Clientset
	user   *sim.Component
}

func newCluster(t *testing.T, seed uint64) *cluster {
	return newClusterWith(t, seed, scheduler.Options{})
}

// profileFrom reads a profile as it is written.
func profileFrom(t *testing.T, text string) (p scheduler.KubeSchedulerProfile) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func newClusterWith(t *testing.T, seed uint64, options scheduler.Options) *cluster {
	k := sim.New(seed, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
	t.Cleanup(k.Close)
	st := store.New(k.Start("etcd"), store.DefaultOptions())
	server := apiserver.New(k.Start("kube-apiserver"), st, apiserver.DefaultOptions())
	c := &cluster{t: t, kernel: k, cs: client.New(server), user: k.Start("kubectl")}
	c.do("create namespace", func(p *sim.Proc) error {
		ns := &corev1.Namespace{}
		ns.Name = "default"
		_, err := c.cs.CoreV1().Namespaces().Get(p, "default", metav1.GetOptions{})
		if err != nil {
			_, err = c.cs.CoreV1().Namespaces().Create(p, ns, metav1.CreateOptions{})
		}
		return err
	})
	for _, name := range []string{"node-1", "node-2", "node-3"} {
		n := newNode(name)
		n.UID = ""
		n.Status.Capacity = n.Status.Allocatable
		c.do("create node", func(p *sim.Proc) error {
			_, err := c.cs.CoreV1().Nodes().Create(p, n, metav1.CreateOptions{})
			return err
		})
		// Admission taints new nodes until somebody says that they are ready.
		c.patchNode(name, types.MergePatchType, `{"spec":{"taints":null}}`)
	}
	comp := k.Start(scheduler.Component)
	comp.Go("main", scheduler.New(comp, c.cs, options).Run)
	c.run(time.Second)
	return c
}

func (c *cluster) run(d time.Duration) { c.kernel.RunUntil(c.kernel.Elapsed() + d) }

// do runs a user's call to its end.
func (c *cluster) do(what string, call func(p *sim.Proc) error) {
	c.t.Helper()
	done := false
	var err error
	c.user.Go(what, func(p *sim.Proc) { err = call(p); done = true })
	for range 1000 {
		if done {
			break
		}
		c.run(time.Millisecond)
	}
	if !done || err != nil {
		c.t.Fatalf("%s: done=%v err=%v", what, done, err)
	}
}

func (c *cluster) patchNode(name string, pt types.PatchType, patch string) {
	c.t.Helper()
	c.do("patch node", func(p *sim.Proc) error {
		_, err := c.cs.CoreV1().Nodes().Patch(p, name, pt, []byte(patch), metav1.PatchOptions{})
		return err
	})
}

func (c *cluster) apply(name, spec string) {
	c.t.Helper()
	pod := &corev1.Pod{}
	pod.Namespace, pod.Name = "default", name
	if err := json.Unmarshal([]byte(spec), &pod.Spec); err != nil {
		c.t.Fatal(err)
	}
	c.do("create pod", func(p *sim.Proc) error {
		_, err := c.cs.CoreV1().Pods("default").Create(p, pod, metav1.CreateOptions{})
		return err
	})
}

func (c *cluster) pod(name string) *corev1.Pod {
	var pod *corev1.Pod
	c.do("get pod", func(p *sim.Proc) (err error) {
		pod, err = c.cs.CoreV1().Pods("default").Get(p, name, metav1.GetOptions{})
		return err
	})
	return pod
}

// TestTheRecordedCasesOnTheRealAPIServer is the transcript 05-scheduling again,
// through defaulting, validation, patches and watches as they are.
func TestTheRecordedCasesOnTheRealAPIServer(t *testing.T) {
	c := newCluster(t, 1)
	message := func(name, want string) {
		t.Helper()
		got := ""
		for _, cond := range c.pod(name).Status.Conditions {
			if cond.Type == corev1.PodScheduled {
				got = string(cond.Status) + " " + cond.Reason + ": " + cond.Message
			}
		}
		if got != want {
			t.Errorf("%s:\n  %s\nwant\n  %s", name, got, want)
		}
	}
	onNode := func(name, want string) {
		t.Helper()
		if got := c.pod(name).Spec.NodeName; got != want {
			t.Errorf("%s is on %q, want %q", name, got, want)
		}
	}
	// What the node lifecycle controller does, which is not here.
	cordon := func(name string) {
		t.Helper()
		c.patchNode(name, types.MergePatchType, `{"spec":{"unschedulable":true}}`)
		c.patchNode(name, types.MergePatchType, `{"spec":{"taints":[{"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}]}}`)
		c.run(time.Second)
	}
	const container = `"containers":[{"name":"c","image":"nginx"}]`

	c.apply("big", `{"containers":[{"name":"c","image":"nginx","resources":{"requests":{"cpu":"64","memory":"1Gi"}}}]}`)
	c.run(time.Second)
	message("big", "False Unschedulable: 0/3 nodes are available: 3 Insufficient cpu."+notHelpful)

	c.patchNode("node-2", types.MergePatchType, `{"metadata":{"labels":{"disk":"ssd"}}}`)
	c.apply("ssd", `{"nodeSelector":{"disk":"ssd"},`+container+`}`)
	c.run(time.Second)
	onNode("ssd", "node-2")
	message("ssd", "True : ")

	cordon("node-1")
	c.patchNode("node-3", types.MergePatchType, `{"spec":{"taints":[{"key":"dedicated","value":"db","effect":"NoSchedule"}]}}`)
	c.apply("plain", `{`+container+`}`)
	c.run(time.Second)
	onNode("plain", "node-2")

	c.apply("db", `{"tolerations":[{"key":"dedicated","operator":"Equal","value":"db","effect":"NoSchedule"}],
	  "affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[
	  {"key":"kubernetes.io/hostname","operator":"NotIn","values":["node-1","node-2"]}]}]}}},`+container+`}`)
	c.run(time.Second)
	onNode("db", "node-3")

	cordon("node-2")
	c.apply("stuck", `{`+container+`}`)
	c.run(2 * time.Second)
	message("stuck", "False Unschedulable: 0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) were unschedulable."+notHelpful)

	c.patchNode("node-1", types.MergePatchType, `{"spec":{"unschedulable":null}}`)
	c.run(20 * time.Millisecond)
	c.patchNode("node-1", types.MergePatchType, `{"spec":{"taints":null}}`)
	c.run(2 * time.Second)
	onNode("stuck", "node-1")

	var events *eventsv1.EventList
	c.do("get events", func(p *sim.Proc) (err error) {
		events, err = c.cs.EventsV1().Events("default").List(p, metav1.ListOptions{})
		return err
	})
	var got []string
	for _, e := range events.Items {
		if e.Regarding.Name == "stuck" {
			got = append(got, e.Type+" "+e.Reason+" "+e.DeprecatedSource.Component)
		}
	}
	// kubectl get events … -o custom-columns=TYPE,REASON,FROM
	if want := []string{"Warning FailedScheduling ", "Warning FailedScheduling ", "Normal Scheduled "}; !slices.Equal(got, want) {
		t.Errorf("events of stuck: %s, want %s", strings.Join(got, "; "), strings.Join(want, "; "))
	}
	if left := c.kernel.Trace().Now().Cells(trace.CellAssumed); len(left) > 0 {
		t.Errorf("still assumed: %v", left)
	}
}
