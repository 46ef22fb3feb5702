package cluster_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/policyv1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// found returns an object as the store has it, nil for none.
func found[T any](c *cluster.Cluster, resource, name string) (out T) {
	state := c.Trace().Now()
	for _, cell := range state.Cells(trace.CellObject) {
		if obj, ok := state[cell].(T); ok && cell.Owner == resource && strings.HasSuffix(cell.Key, name) {
			out = obj
		}
	}
	return out
}

func said(c *cluster.Cluster, reason string) (out []string) {
	state := c.Trace().Now()
	for _, cell := range state.Cells(trace.CellObject) {
		if e, ok := state[cell].(*corev1.Event); ok && e.Reason == reason {
			out = append(out, e.Message)
		}
	}
	return out
}

func batchCluster(t *testing.T, controllers ...string) *cluster.Cluster {
	t.Helper()
	cfg := cluster.DefaultConfig()
	cfg.Metrics, cfg.Network = true, true
	cfg.Controllers = append([]string{"replicaset-controller", "deployment-controller", "serviceaccount-controller", "endpointslice-controller"}, controllers...)
	c := cluster.New(cfg, 5)
	t.Cleanup(c.Close)
	c.RunUntil(8 * time.Second)
	return c
}

func input(t *testing.T, c *cluster.Cluster, in cluster.Input) {
	t.Helper()
	in.At = c.Elapsed()
	if err := c.Schedule(in); err != nil {
		t.Fatal(err)
	}
	c.RunUntil(c.Elapsed() + time.Second)
	if o := c.Outcomes()[len(c.Outcomes())-1]; o.Error != "" {
		t.Fatalf("%s: %s", in, o.Error)
	}
}

func applied(t *testing.T, c *cluster.Cluster, manifest string) {
	t.Helper()
	input(t, c, cluster.Input{Kind: cluster.Apply, Manifest: json.RawMessage(manifest)})
}

const webDeployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":2,
"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[
{"name":"web","image":"nginx:1.27","resources":{"requests":{"cpu":"200m"}}}]}}}}`

// TestAutoscaling: a load comes, the Deployment grows; it goes, and after five
// minutes the Deployment shrinks again.
func TestAutoscaling(t *testing.T) {
	c := batchCluster(t, "horizontal-pod-autoscaler-controller")
	applied(t, c, webDeployment)
	applied(t, c, `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"web"},"spec":{"minReplicas":2,"maxReplicas":10,
		"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},
		"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}}]}}`)
	c.RunUntil(c.Elapsed() + 90*time.Second)
	input(t, c, cluster.Input{Kind: cluster.Load, Resource: "deployment", Name: "web", Value: "700m"})
	var sizes []string
	last := int32(-1)
	watch := func(d time.Duration) {
		for end := c.Elapsed() + d; c.Elapsed() < end; c.RunUntil(c.Elapsed() + time.Second) {
			if web := found[*appsv1.Deployment](c, "deployments", "web"); web != nil && *web.Spec.Replicas != last {
				last = *web.Spec.Replicas
				sizes = append(sizes, fmt.Sprint(last))
			}
		}
	}
	watch(4 * time.Minute)
	hpa := found[*autoscalingv2.HorizontalPodAutoscaler](c, "horizontalpodautoscalers", "web")
	// 700m among n Pods that request 200m each, at 50 %: 7 replicas; by way of 4, twice as many as there were. A figure is an average over
	// 15 seconds, in part before the new Pods shared the load, so it may be 8, which is within the tolerance.
	if got := strings.Join(sizes, " "); !strings.HasPrefix(got, "2 4 ") || !strings.HasSuffix(got, " 7") && !strings.HasSuffix(got, " 8") {
		t.Errorf("sizes %s, want 2 4 … 7 or 8; status %+v; events %q", got, hpa.Status, said(c, "SuccessfulRescale"))
	}
	if events := said(c, "SuccessfulRescale"); len(events) == 0 ||
		events[0] != "New size: 4; reason: cpu resource utilization (percentage of request) above target" {
		t.Errorf("events %q", events)
	}
	for _, want := range []string{"AbleToScale True ReadyForNewScale", "ScalingActive True ValidMetricFound", "ScalingLimited False DesiredWithinRange"} {
		ok := false
		for _, cond := range hpa.Status.Conditions {
			ok = ok || fmt.Sprintf("%s %s %s", cond.Type, cond.Status, cond.Reason) == want
		}
		if !ok {
			t.Errorf("no condition %s in %+v", want, hpa.Status.Conditions)
		}
	}
	input(t, c, cluster.Input{Kind: cluster.Load, Resource: "deployment", Name: "web", Value: "0"})
	sizes = nil
	gone := c.Elapsed()
	watch(4 * time.Minute)
	if len(sizes) != 0 {
		t.Errorf("sizes %v within four minutes after the load", sizes)
	}
	watch(4 * time.Minute)
	if got := strings.Join(sizes, " "); got != "2" && !strings.HasSuffix(got, " 2") {
		t.Errorf("sizes %s after the load, since %v", got, gone)
	}
}

// TestNobodyServesMetrics has the words of a cluster without metrics-server.
func TestNobodyServesMetrics(t *testing.T) {
	cfg := cluster.DefaultConfig()
	c := cluster.New(cfg, 5)
	defer c.Close()
	c.RunUntil(8 * time.Second)
	applied(t, c, webDeployment)
	applied(t, c, `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"web"},"spec":{"maxReplicas":10,
		"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"}}}`)
	c.RunUntil(c.Elapsed() + 30*time.Second)
	want := "failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)"
	if got := said(c, "FailedGetResourceMetric"); len(got) == 0 || got[0] != want {
		t.Errorf("events %q", got)
	}
	if got := said(c, "FailedComputeMetricsReplicas"); len(got) == 0 ||
		got[0] != "invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: "+want {
		t.Errorf("events %q", got)
	}
}

// TestExternalMetric: a queue of 100 messages, 10 for each Pod.
func TestExternalMetric(t *testing.T) {
	c := batchCluster(t, "horizontal-pod-autoscaler-controller")
	applied(t, c, webDeployment)
	applied(t, c, `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"web"},"spec":{"maxReplicas":20,
		"behavior":{"scaleUp":{"policies":[{"type":"Pods","value":3,"periodSeconds":60}]},"scaleDown":{"stabilizationWindowSeconds":30}},
		"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},
		"metrics":[{"type":"External","external":{"metric":{"name":"queue_length"},"target":{"type":"AverageValue","averageValue":"10"}}}]}}`)
	input(t, c, cluster.Input{Kind: cluster.SetMetric, Metric: "queue_length", Value: "100"})
	c.RunUntil(c.Elapsed() + 40*time.Second)
	if web := found[*appsv1.Deployment](c, "deployments", "web"); *web.Spec.Replicas != 5 {
		t.Errorf("%d replicas after the first period, want 2 + 3", *web.Spec.Replicas)
	}
	c.RunUntil(c.Elapsed() + 3*time.Minute)
	if web := found[*appsv1.Deployment](c, "deployments", "web"); *web.Spec.Replicas != 10 {
		t.Errorf("%d replicas, want 10", *web.Spec.Replicas)
	}
	input(t, c, cluster.Input{Kind: cluster.SetMetric, Metric: "queue_length", Value: "20"})
	c.RunUntil(c.Elapsed() + 2*time.Minute)
	if web := found[*appsv1.Deployment](c, "deployments", "web"); *web.Spec.Replicas != 2 {
		t.Errorf("%d replicas, want 2", *web.Spec.Replicas)
	}
}

// TestCronJobsRun: real Pods end by themselves, Jobs complete, the oldest go.
func TestCronJobsRun(t *testing.T) {
	c := batchCluster(t, "job-controller", "cronjob-controller", "garbage-collector-controller")
	applied(t, c, `{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"hello"},"spec":{"schedule":"*/1 * * * *","successfulJobsHistoryLimit":2,
		"jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"OnFailure","containers":[{"name":"hello","image":"busybox:1.37","command":["sh","-c","sleep 3; exit 0"]}]}}}}}}`)
	c.RunUntil(5*time.Minute + 30*time.Second)
	state := c.Trace().Now()
	var names []string
	for _, cell := range state.Cells(trace.CellObject) {
		if j, ok := state[cell].(*batchv1.Job); ok {
			names = append(names, j.Name)
			if j.Status.Succeeded != 1 || j.Status.CompletionTime == nil {
				t.Errorf("%s: %+v", j.Name, j.Status)
			}
		}
	}
	start := cluster.DefaultConfig().Epoch.Unix() / 60
	if want := fmt.Sprintf("hello-%d hello-%d", start+4, start+5); strings.Join(names, " ") != want {
		t.Errorf("jobs %v, want %s", names, want)
	}
	cj := found[*batchv1.CronJob](c, "cronjobs", "hello")
	if len(cj.Status.Active) != 0 || cj.Status.LastSuccessfulTime == nil {
		t.Errorf("status %+v", cj.Status)
	}
	if got := said(c, "SawCompletedJob"); len(got) == 0 || got[0] != fmt.Sprintf("Saw completed job: hello-%d, condition: Complete", start+1) {
		t.Errorf("events %q", got)
	}
}

// TestBudget: how many of three Pods may go, when one is allowed to be missing.
func TestBudget(t *testing.T) {
	c := batchCluster(t, "disruption-controller")
	applied(t, c, strings.Replace(webDeployment, `"replicas":2`, `"replicas":3`, 1))
	applied(t, c, `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"web"},"spec":{"maxUnavailable":"30%","selector":{"matchLabels":{"app":"web"}}}}`)
	c.RunUntil(c.Elapsed() + 15*time.Second)
	pdb := found[*policyv1.PodDisruptionBudget](c, "poddisruptionbudgets", "web")
	if s := pdb.Status; s.ExpectedPods != 3 || s.CurrentHealthy != 3 || s.DesiredHealthy != 2 || s.DisruptionsAllowed != 1 {
		t.Errorf("status %+v: 30 %% of 3, rounded up, is 1", s)
	}
	if len(pdb.Status.Conditions) != 1 || pdb.Status.Conditions[0].Reason != "SufficientPods" || pdb.Status.Conditions[0].ObservedGeneration != 1 {
		t.Errorf("conditions %+v", pdb.Status.Conditions)
	}
	input(t, c, cluster.Input{Kind: cluster.Scale, Resource: "deployment", Name: "web", Replicas: ptr(int32(1))})
	c.RunUntil(c.Elapsed() + 40*time.Second)
	pdb = found[*policyv1.PodDisruptionBudget](c, "poddisruptionbudgets", "web")
	if s := pdb.Status; s.ExpectedPods != 1 || s.CurrentHealthy != 1 || s.DesiredHealthy != 0 || s.DisruptionsAllowed != 1 {
		t.Errorf("status %+v", s)
	}
}

func ptr[T any](v T) *T { return &v }

// TestAmbiguousSelector: two autoscalers of the same Pods, and neither works.
func TestAmbiguousSelector(t *testing.T) {
	c := batchCluster(t, "horizontal-pod-autoscaler-controller")
	applied(t, c, webDeployment)
	for _, name := range []string{"one", "two"} {
		applied(t, c, `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"`+name+`"},"spec":{"maxReplicas":10,
			"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"}}}`)
	}
	c.RunUntil(c.Elapsed() + 50*time.Second)
	want := "pods by selector app=web are controlled by multiple HPAs: [default/one default/two]"
	if got := said(c, "AmbiguousSelector"); len(got) != 2 || got[0] != want {
		t.Errorf("events %q", got)
	}
}

// TestTopAndTarget: kubectl top reads what was scraped; a target that is not there is said.
func TestTopAndTarget(t *testing.T) {
	c := batchCluster(t, "horizontal-pod-autoscaler-controller")
	applied(t, c, webDeployment)
	applied(t, c, `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"gone"},"spec":{"maxReplicas":10,
		"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"gone"}}}`)
	input(t, c, cluster.Input{Kind: cluster.Load, Resource: "deployment", Name: "web", Value: "600m"})
	c.RunUntil(c.Elapsed() + 45*time.Second)
	input(t, c, cluster.Input{Kind: cluster.Command, Args: []string{"top", "pods"}})
	outcomes := c.Outcomes()
	if out := outcomes[len(outcomes)-1].Output; strings.Count(out, "\n") < 2 || strings.Count(out, " 30") < 2 {
		t.Errorf("kubectl top pods:\n%s", out)
	}
	if got := said(c, "FailedGetScale"); len(got) == 0 || got[0] != `deployments.apps "gone" not found` {
		t.Errorf("events %q", got)
	}
	if hpa := found[*autoscalingv2.HorizontalPodAutoscaler](c, "horizontalpodautoscalers", "gone"); len(hpa.Status.Conditions) != 1 ||
		hpa.Status.Conditions[0].Message != `the HPA controller was unable to get the target's current scale: deployments.apps "gone" not found` {
		t.Errorf("status %+v", hpa.Status)
	}
}
