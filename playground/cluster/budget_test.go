package cluster_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/policyv1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func pdbOf(c *cluster.Cluster) *policyv1.PodDisruptionBudget {
	return found[*policyv1.PodDisruptionBudget](c, "poddisruptionbudgets", "web")
}

// TestBudgetOfBarePods: with a number in minAvailable nobody has to be asked.
func TestBudgetOfBarePods(t *testing.T) {
	c := batchCluster(t, "disruption-controller")
	applied(t, c, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"nginx:1.27"}]}}`)
	applied(t, c, `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"web"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"web"}}}}`)
	c.RunUntil(c.Elapsed() + 10*time.Second)
	if s := pdbOf(c).Status; s.ExpectedPods != 1 || s.CurrentHealthy != 1 || s.DesiredHealthy != 1 || s.DisruptionsAllowed != 0 ||
		s.Conditions[0].Reason != "InsufficientPods" {
		t.Errorf("status %+v", s)
	}
	applied(t, c, `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"web"},"spec":{"maxUnavailable":1,"selector":{"matchLabels":{"app":"web"}}}}`)
	c.RunUntil(c.Elapsed() + 10*time.Second)
	if s := pdbOf(c).Status; s.ExpectedPods != 0 || s.DisruptionsAllowed != 0 {
		t.Errorf("status %+v: nobody says how many Pods there should be", s)
	}
	want := "Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}) were found to be unmanaged."
	if got := said(c, "UnmanagedPods"); len(got) == 0 || !strings.HasPrefix(got[0], want) {
		t.Errorf("events %q", got)
	}
}

// TestBudgetOfAJob: a Job has no scale, so nothing may go.
func TestBudgetOfAJob(t *testing.T) {
	c := batchCluster(t, "disruption-controller", "job-controller")
	applied(t, c, `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"web"},"spec":{"template":{"metadata":{"labels":{"app":"web"}},"spec":{"restartPolicy":"Never","containers":[{"name":"web","image":"nginx:1.27"}]}}}}`)
	applied(t, c, `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"web"},"spec":{"maxUnavailable":1,"selector":{"matchLabels":{"app":"web"}}}}`)
	c.RunUntil(c.Elapsed() + 10*time.Second)
	s := pdbOf(c).Status
	if s.DisruptionsAllowed != 0 || len(s.Conditions) != 1 || s.Conditions[0].Reason != "SyncFailed" ||
		s.Conditions[0].Message != "jobs.batch does not implement the scale subresource" {
		t.Errorf("status %+v", s)
	}
	if got := said(c, "CalculateExpectedPodCountFailed"); len(got) == 0 ||
		got[0] != "Failed to calculate the number of expected pods: jobs.batch does not implement the scale subresource" {
		t.Errorf("events %q", got)
	}
}

// podOf is a Pod with the label app.
func podOf(c *cluster.Cluster, app string) (out *corev1.Pod) {
	state := c.Trace().Now()
	for _, cell := range state.Cells(trace.CellObject) {
		if pod, ok := state[cell].(*corev1.Pod); ok && pod.Labels["app"] == app {
			out = pod
		}
	}
	return out
}

// TestStaleDisruption: a Pod that was to be disrupted, and two minutes later still
// runs, is no target any more. One that was evicted and stays counts again.
func TestStaleDisruption(t *testing.T) {
	c := batchCluster(t, "disruption-controller")
	applied(t, c, strings.Replace(webDeployment, `"replicas":2`, `"replicas":1`, 1))
	applied(t, c, `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"web"},"spec":{"minAvailable":0,"selector":{"matchLabels":{"app":"web"}}}}`)
	c.RunUntil(c.Elapsed() + 10*time.Second)
	pod := podOf(c, "web")
	now := cluster.DefaultConfig().Epoch.Add(c.Elapsed()).Format(time.RFC3339)
	input(t, c, cluster.Input{Kind: cluster.Command, Args: []string{"patch", "pod", pod.Name, "--subresource=status", "--type=strategic",
		"-p", `{"status":{"conditions":[{"type":"DisruptionTarget","status":"True","reason":"EvictionByEvictionAPI","lastTransitionTime":"` + now + `"}]}}`}})
	input(t, c, cluster.Input{Kind: cluster.Command, Args: []string{"patch", "pdb", "web", "--subresource=status", "--type=merge",
		"-p", `{"status":{"disruptedPods":{"` + pod.Name + `":"` + now + `"}}}`}})
	c.RunUntil(c.Elapsed() + 5*time.Second)
	if s := pdbOf(c).Status; s.CurrentHealthy != 0 || len(s.DisruptedPods) != 1 {
		t.Errorf("status %+v: an evicted Pod is as good as gone", s)
	}
	target := func() corev1.ConditionStatus {
		for _, cond := range found[*corev1.Pod](c, "pods", pod.Name).Status.Conditions {
			if cond.Type == corev1.DisruptionTarget {
				return cond.Status
			}
		}
		return ""
	}
	c.RunUntil(c.Elapsed() + 100*time.Second)
	if target() != corev1.ConditionTrue {
		t.Errorf("the condition is %q before its time", target())
	}
	c.RunUntil(c.Elapsed() + 30*time.Second)
	if target() != corev1.ConditionFalse {
		t.Errorf("the condition is %q after two minutes", target())
	}
	if s := pdbOf(c).Status; s.CurrentHealthy != 1 || len(s.DisruptedPods) != 0 {
		t.Errorf("status %+v after two minutes", s)
	}
	if len(said(c, "NotDeleted")) == 0 {
		t.Error("no event NotDeleted")
	}
}
