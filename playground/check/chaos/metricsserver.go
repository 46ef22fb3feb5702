package chaos

import (
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/api/apiregistrationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{name: "metrics-server", controllers: []string{"deployment-controller", "endpointslice-controller"},
		prepare: func(_ *dice, cfg *cluster.Config) { cfg.Metrics, cfg.Network = true, true },
		act:     (*dice).metricsServer, unsettled: metricsUnsettled, typed: metricsTyped})
}

// metricsServer has people ask what Pods and nodes use while Pods come and go, and metrics-server, its Pod and its registration fail.
func (d *dice) metricsServer(at time.Duration) {
	const name = "measured"
	if d.once("replicasets/" + name) {
		d.apply(at, map[string]any{"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": map[string]any{"name": name}, "spec": map[string]any{
			"replicas": 1 + d.IntN(3), "selector": map[string]any{"matchLabels": map[string]any{"app": name}}, "template": d.podTemplate(name, d.IntN(3))}})
	}
	switch d.IntN(9) {
	case 0:
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "pods", Namespace: "kube-system", Name: "metrics-server-*"})
	case 1:
		d.add(cluster.Input{At: at, Kind: cluster.CrashContainer, Namespace: "kube-system", Name: "metrics-server-*"})
	case 2:
		scale := func(replicas string) cluster.Input {
			return cluster.Input{Kind: cluster.Command, Args: []string{"scale", "deployment", "metrics-server", "-n", "kube-system", replicas}}
		}
		d.toggle(at, "metrics replicas", scale("--replicas=0"), scale("--replicas=1"))
	case 3, 4:
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "pods", Namespace: "default", Name: name + "-*"})
	case 5:
		d.add(cluster.Input{At: at, Kind: cluster.Load, Resource: "replicasets", Namespace: "default", Name: name, Value: fmt.Sprintf("%dm", 100*d.IntN(5))})
	default:
		d.kubectl(max(at, 45*time.Second)+d.Between(0, 15*time.Second), "top", "pods", "--no-headers")
	}
}

// metricsUnsettled: whoever has asked for metrics-server has it, and its API is available.
func metricsUnsettled(s trace.State, say sayer) {
	for _, c := range s.Cells(trace.CellObject) {
		service, ok := s[c].(*apiregistrationv1.APIService)
		if !ok || service.Name != "v1beta1.metrics.k8s.io" || asleep(s, "metrics-server") {
			continue
		}
		for _, condition := range service.Status.Conditions {
			if condition.Type == "Available" && condition.Status != "True" {
				say("APIService %s is not available: %s", service.Name, condition.Reason)
			}
		}
		if len(service.Status.Conditions) == 0 {
			say("APIService %s says nothing", service.Name)
		}
	}
}

// asleep tells whether no Pod of a Deployment in kube-system is wanted.
func asleep(s trace.State, deployment string) bool {
	for _, c := range s.Cells(trace.CellObject) {
		if pod, ok := s[c].(*corev1.Pod); ok && pod.Namespace == "kube-system" && strings.HasPrefix(pod.Name, deployment+"-") {
			return false
		}
	}
	return true
}

// freshMetrics is how long a container runs before there are figures: two readings, or one of somebody who is not new. Upstream:
// freshContainerMinMetricsResolution.
const freshMetrics = 10 * time.Second

// staleMetrics is for how long figures of a Pod may still be told when it has ended: metrics-server knows of Pods by a watch, which may be cut off.
const staleMetrics = 60 * time.Second

// metricsTyped: what kubectl top tells is of Pods that have run for a while, and are there still, or were a moment ago.
func metricsTyped(rec *trace.Recorder, results []cluster.Outcome, say sayer) {
	for _, r := range results {
		if len(r.Input.Args) == 0 || r.Input.Args[0] != "top" || r.Error != "" {
			continue
		}
		for line := range strings.Lines(r.Output) {
			words := strings.Fields(line)
			if len(words) != 3 || !strings.HasSuffix(words[1], "m") {
				continue // a complaint
			}
			started, ended := ranFrom(rec, "default/"+words[0])
			if started == 0 || started > answered(rec, r.Input.At)-freshMetrics || ended > 0 && ended+staleMetrics < r.Input.At {
				say("%s: figures of pod %s, which ran from %v to %v", r.Input.At, words[0], started, ended)
			}
		}
	}
}

// answered is when kubectl has got figures that it asked for at a moment: at the latest, if somebody else asked as well.
func answered(rec *trace.Recorder, asked time.Duration) time.Duration {
	at := asked
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		if e.Op == trace.RequestDone && e.Component == cluster.Kubectl && strings.Contains(e.Text("path"), "metrics.k8s.io") &&
			e.At >= asked && e.At < asked+staleMetrics {
			at = e.At
		}
	}
	return at
}

// ranFrom is when a Pod's first container started, and when the Pod was gone; 0 for not at all.
func ranFrom(rec *trace.Recorder, key string) (started, ended time.Duration) {
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		switch {
		case e.Object.Resource != "pods" || e.Object.Key() != key:
		case e.Op == trace.ContainerStart && started == 0:
			started = e.At
		case e.Op == trace.StoreCommit && e.Text("type") == "DELETED":
			ended = e.At
		}
	}
	return started, ended
}
