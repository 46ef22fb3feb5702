package scheduler_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/eventsv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/schedulingv1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/scheduler"
	"kubewalk/playground/sim"
)

func (c *cluster) priorityClass(name string, value int32) {
	c.t.Helper()
	class := &schedulingv1.PriorityClass{}
	class.Name, class.Value = name, value
	c.do("create priority class", func(p *sim.Proc) error {
		_, err := c.cs.SchedulingV1().PriorityClasses().Create(p, class, metav1.CreateOptions{})
		return err
	})
}

func spec(cpu, priority string, grace int, more string) string {
	class := ""
	if priority != "" {
		class = fmt.Sprintf(`"priorityClassName":%q,`, priority)
	}
	return fmt.Sprintf(`{%s"terminationGracePeriodSeconds":%d,%s"containers":[{"name":"c","image":"nginx","resources":{"requests":{"cpu":%q}}}]}`, class, grace,
		more, cpu)
}

func (c *cluster) events(name string) (out []string) {
	c.t.Helper()
	var list *eventsv1.EventList
	c.do("get events", func(p *sim.Proc) (err error) {
		list, err = c.cs.EventsV1().Events("default").List(p, metav1.ListOptions{})
		return err
	})
	for _, e := range list.Items {
		if e.Regarding.Name == name {
			out = append(out, e.Type+" "+e.Reason+" "+e.Note)
		}
	}
	return out
}

func TestPreemption(t *testing.T) {
	c := newCluster(t, 1)
	c.priorityClass("low", 10)
	c.priorityClass("mid", 100)
	c.priorityClass("high", 1000)
	for i, class := range []string{"mid", "low", "mid"} {
		// Each fills the node that its selector names.
		c.apply(fmt.Sprint("there-", i+1), spec("3", class, 0, fmt.Sprintf(`"nodeSelector":{"kubernetes.io/hostname":"node-%d"},`, i+1)))
	}
	c.run(time.Second)
	c.apply("important", spec("2", "high", 0, ""))
	c.run(5 * time.Second)
	if node := c.pod("important").Spec.NodeName; node != "node-2" {
		t.Errorf("it is on %q, want node-2, where the least important Pod was; %v", node, c.events("important"))
	}
	if nominated := c.pod("important").Status.NominatedNodeName; nominated != "" {
		t.Errorf("it is bound, and still nominated for %s", nominated)
	}
	uid := c.pod("important").UID
	want := fmt.Sprintf("Normal Preempted Preempted by pod %s on node node-2", uid)
	if got := c.events("there-2"); len(got) != 2 || got[1] != want {
		t.Errorf("events of the victim: %q, want the second to be %q", got, want)
	}
	first := c.events("important")[0]
	if want := "Warning FailedScheduling 0/3 nodes are available: 3 Insufficient cpu."; !strings.HasPrefix(first, want) {
		t.Errorf("%s, want %s", first, want)
	}
	for _, other := range []string{"there-1", "there-3"} {
		if c.pod(other).DeletionTimestamp != nil {
			t.Errorf("%s was evicted too", other)
		}
	}
}

// TestTheVictimsTakeTheirTime: until they are gone the Pod is promised the place,
// nobody of its rank takes it, and nobody else is evicted.
func TestTheVictimsTakeTheirTime(t *testing.T) {
	c := newCluster(t, 1)
	c.priorityClass("high", 1000)
	for i := range 3 {
		c.apply(fmt.Sprint("there-", i+1), spec("3", "", 30, ""))
		c.run(100 * time.Millisecond)
	}
	c.run(time.Second)
	c.apply("important", spec("3", "high", 0, ""))
	c.run(2 * time.Second)
	important := c.pod("important")
	nominated := important.Status.NominatedNodeName
	if nominated == "" || important.Spec.NodeName != "" {
		t.Fatalf("nominated for %q, on %q", nominated, important.Spec.NodeName)
	}
	var victim *corev1.Pod
	for i := range 3 {
		p := c.pod(fmt.Sprint("there-", i+1))
		if p.DeletionTimestamp == nil {
			continue
		}
		if victim != nil {
			t.Errorf("%s and %s are leaving", victim.Name, p.Name)
		}
		victim = p
	}
	if victim == nil || victim.Spec.NodeName != nominated {
		t.Fatalf("nobody is leaving %s", nominated)
	}
	reason := ""
	for _, cond := range victim.Status.Conditions {
		if cond.Type == corev1.DisruptionTarget {
			reason = cond.Reason + ": " + cond.Message
		}
	}
	if want := "PreemptionByScheduler: default-scheduler: preempting to accommodate a higher priority pod"; reason != want {
		t.Errorf("DisruptionTarget says %q, want %q", reason, want)
	}
	// It is tried again while the victim is leaving, by a change that does not help.
	c.patchNode(nominated, types.MergePatchType, `{"spec":{"taints":[{"key":"x","effect":"PreferNoSchedule"}]}}`)
	c.run(2 * time.Second)
	got := c.pod("important")
	if msg := got.Status.Conditions[0].Message; !strings.Contains(msg, "preemption: not eligible due to a terminating pod on the nominated node.") {
		t.Errorf("it says %s", msg)
	}
	if got.Status.NominatedNodeName != nominated {
		t.Errorf("it is nominated for %q now", got.Status.NominatedNodeName)
	}
	// The kubelet's word that the Pod has ended.
	c.do("force delete", func(p *sim.Proc) error {
		zero := int64(0)
		return c.cs.CoreV1().Pods("default").Delete(p, victim.Name, metav1.DeleteOptions{GracePeriodSeconds: &zero})
	})
	c.apply("rival", spec("3", "", 0, ""))
	c.run(15 * time.Second)
	if node := c.pod("important").Spec.NodeName; node != nominated {
		t.Errorf("it is on %q, want %s", node, nominated)
	}
	if node := c.pod("rival").Spec.NodeName; node != "" {
		t.Errorf("a Pod without priority is on %s", node)
	}
}

func TestProfilesByName(t *testing.T) {
	c := newClusterWith(t, 1, scheduler.Options{Profiles: []scheduler.KubeSchedulerProfile{
		{SchedulerName: "default-scheduler"},
		profileFrom(t, `{"schedulerName":"packer","plugins":{"postFilter":{"disabled":[{"name":"*"}]},"score":{"disabled":[{"name":"*"}],"enabled":[{"name":"NodeResourcesFit"}]}},
			"pluginConfig":[{"name":"NodeResourcesFit","args":{"scoringStrategy":{"type":"MostAllocated"}}}]}`),
		profileFrom(t, `{"schedulerName":"only-ssd","pluginConfig":[{"name":"NodeAffinity","args":{"addedAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
			{"nodeSelectorTerms":[{"matchExpressions":[{"key":"disk","operator":"In","values":["ssd"]}]}]}}}}]}`),
	}})
	c.apply("first", spec("500m", "", 0, ""))
	c.run(time.Second)
	home := c.pod("first").Spec.NodeName
	for i := range 3 {
		name := fmt.Sprint("packed-", i)
		c.apply(name, spec("500m", "", 0, `"schedulerName":"packer",`))
		c.run(time.Second)
		if node := c.pod(name).Spec.NodeName; node != home {
			t.Errorf("%s is on %s, want %s, which has something on it already", name, node, home)
		}
	}
	c.apply("spread", spec("500m", "", 0, ""))
	c.apply("too-big", spec("64", "", 0, `"schedulerName":"packer",`))
	c.apply("ssd", spec("500m", "", 0, `"schedulerName":"only-ssd",`))
	c.apply("nobody", spec("500m", "", 0, `"schedulerName":"another",`))
	c.run(2 * time.Second)
	if node := c.pod("spread").Spec.NodeName; node == home || node == "" {
		t.Errorf("the default profile put a Pod on %q, where the others are", node)
	}
	for name, want := range map[string]string{
		"too-big": "0/3 nodes are available: 3 Insufficient cpu.",
		"ssd": "0/3 nodes are available: 3 node(s) didn't match scheduler-enforced node affinity. " +
			"no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
	} {
		if conditions := c.pod(name).Status.Conditions; len(conditions) == 0 || conditions[0].Message != want {
			t.Errorf("%s says %+v, want %s", name, conditions, want)
		}
	}
	if conditions := c.pod("nobody").Status.Conditions; len(conditions) > 0 {
		t.Errorf("a Pod of a scheduler that does not run: %+v", conditions)
	}
	c.patchNode("node-3", types.MergePatchType, `{"metadata":{"labels":{"disk":"ssd"}}}`)
	// As upstream: the Pod's own affinity matched before, and nobody asks about the
	// profile's. Only the leftovers' turn after five minutes finds the node.
	c.run(time.Minute)
	if node := c.pod("ssd").Spec.NodeName; node != "" {
		t.Errorf("it is on %q already", node)
	}
	c.run(5 * time.Minute)
	if node := c.pod("ssd").Spec.NodeName; node != "node-3" {
		t.Errorf("it is on %q", node)
	}
}
