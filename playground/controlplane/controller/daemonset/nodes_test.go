package daemonset

import (
	"testing"
	"time"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
)

func TestNodeShouldRunDaemonPod(t *testing.T) {
	taint := func(key string, effect corev1.TaintEffect) []corev1.Taint {
		return []corev1.Taint{{Key: key, Effect: effect}}
	}
	affinity := func(op corev1.NodeSelectorOperator, values ...string) func(*corev1.PodSpec) {
		return func(s *corev1.PodSpec) {
			s.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "cores", Operator: op, Values: values}}}}}}}
		}
	}
	for _, c := range []struct {
		name          string
		taints        []corev1.Taint
		spec          func(s *corev1.PodSpec)
		run, mayStays bool
	}{
		{"an empty node", nil, nil, true, true},
		{"NoSchedule keeps new ones away", taint("a", corev1.TaintEffectNoSchedule), nil, false, true},
		{"NoExecute sends them away", taint("a", corev1.TaintEffectNoExecute), nil, false, false},
		{"PreferNoSchedule is nothing", taint("a", corev1.TaintEffectPreferNoSchedule), nil, true, true},
		{"tolerated", taint("a", corev1.TaintEffectNoExecute), func(s *corev1.PodSpec) {
			s.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
		}, true, true},
		{"not ready", taint(corev1.TaintNodeNotReady, corev1.TaintEffectNoExecute), nil, true, true},
		{"not ready, NoSchedule", taint(corev1.TaintNodeNotReady, corev1.TaintEffectNoSchedule), nil, false, true},
		{"cordoned", taint(corev1.TaintNodeUnschedulable, corev1.TaintEffectNoSchedule), nil, true, true},
		{"no network", taint(corev1.TaintNodeNetworkUnavailable, corev1.TaintEffectNoSchedule), nil, false, true},
		{"no network, on the host's", taint(corev1.TaintNodeNetworkUnavailable, corev1.TaintEffectNoSchedule), func(s *corev1.PodSpec) { s.HostNetwork = true }, true,
			true},
		{"another node's name", nil, func(s *corev1.PodSpec) { s.NodeName = "node-2" }, false, false},
		{"a label that it has", nil, func(s *corev1.PodSpec) { s.NodeSelector = map[string]string{"cores": "4"} }, true, true},
		{"a label that it has not", nil, func(s *corev1.PodSpec) { s.NodeSelector = map[string]string{"cores": "8"} }, false, false},
		{"affinity In", nil, affinity(corev1.NodeSelectorOpIn, "2", "4"), true, true},
		{"affinity NotIn", nil, affinity(corev1.NodeSelectorOpNotIn, "2", "4"), false, false},
		{"affinity Gt", nil, affinity(corev1.NodeSelectorOpGt, "3"), true, true},
		{"affinity Lt", nil, affinity(corev1.NodeSelectorOpLt, "3"), false, false},
	} {
		node, ds := &corev1.Node{}, &appsv1.DaemonSet{}
		node.Name, node.Labels, node.Spec.Taints = "node-1", map[string]string{"cores": "4"}, c.taints
		if c.spec != nil {
			c.spec(&ds.Spec.Template.Spec)
		}
		before := len(ds.Spec.Template.Spec.Tolerations)
		if run, stays := NodeShouldRunDaemonPod(node, ds); run != c.run || stays != c.mayStays {
			t.Errorf("%s: run %v, stay %v; want %v, %v", c.name, run, stays, c.run, c.mayStays)
		}
		if len(ds.Spec.Template.Spec.Tolerations) != before {
			t.Errorf("%s: the template was changed", c.name)
		}
	}
}

func TestTargetNode(t *testing.T) {
	pod := &corev1.Pod{}
	if _, err := GetTargetNodeName(pod); err == nil {
		t.Error("a Pod without a node has one")
	}
	pod.Spec.Affinity = ReplaceDaemonSetPodNodeNameNodeAffinity(nil, "node-1")
	if name, err := GetTargetNodeName(pod); name != "node-1" || err != nil {
		t.Errorf("made for %q, %v; want node-1", name, err)
	}
	pod.Spec.NodeName = "node-2"
	if name, _ := GetTargetNodeName(pod); name != "node-2" {
		t.Errorf("bound to %q, want node-2", name)
	}
}

func TestBackoff(t *testing.T) {
	b := newBackoff()
	now := time.Duration(0)
	for i, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second} {
		if b.IsInBackOffSinceUpdate("k", now) {
			t.Errorf("step %d at %v has to wait", i, now)
		}
		b.Next("k", now)
		if got := b.Get("k"); got != want {
			t.Errorf("step %d: %v, want %v", i, got, want)
		}
		if !b.IsInBackOffSinceUpdate("k", now+want-1) {
			t.Errorf("step %d does not wait %v", i, want)
		}
		now += want
	}
	b.Next("other", now+time.Hour)
	if got := b.Get("k"); got != 0 {
		t.Errorf("after an hour it still waits %v", got)
	}
}
