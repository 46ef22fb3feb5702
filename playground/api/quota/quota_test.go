package quota

import (
	"slices"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
)

var now = time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)

func list(kv ...string) corev1.ResourceList {
	out := corev1.ResourceList{}
	for i := 0; i < len(kv); i += 2 {
		out[corev1.ResourceName(kv[i])] = resource.MustParse(kv[i+1])
	}
	return out
}

func TestArithmetic(t *testing.T) {
	a, b := list("cpu", "2", "pods", "1"), list("cpu", "500m", "memory", "1Gi")
	for _, test := range []struct {
		what string
		got  corev1.ResourceList
		want string
	}{
		{"Add", Add(a, b), "cpu=2500m,memory=1Gi,pods=1"},
		{"Subtract", Subtract(b, a), "cpu=-1500m,memory=1Gi,pods=-1"},
		{"SubtractWithNonNegativeResult", SubtractWithNonNegativeResult(b, a), "cpu=0,memory=1Gi,pods=0"},
		{"Max", Max(a, b), "cpu=2,memory=1Gi,pods=1"},
		{"Mask", Mask(a, []corev1.ResourceName{"pods", "secrets"}), "pods=1"},
		{"RemoveZeros", RemoveZeros(list("cpu", "0", "pods", "1")), "pods=1"},
		{"a is as it was", a, "cpu=2,pods=1"},
	} {
		if got := PrettyPrint(test.got); got != test.want {
			t.Errorf("%s: got %s, want %s", test.what, got, test.want)
		}
	}
	if ok, over := LessThanOrEqual(list("cpu", "3", "pods", "1", "memory", "1"), a); ok || !slices.Equal(over, []corev1.ResourceName{"cpu"}) {
		t.Errorf("LessThanOrEqual: got %v, %v", ok, over)
	}
	if !Equals(list("cpu", "1000m"), list("cpu", "1")) || Equals(a, b) {
		t.Error("Equals is wrong")
	}
	if got := IsNegative(Subtract(b, a)); !slices.Equal(got, []corev1.ResourceName{"cpu", "pods"}) {
		t.Errorf("IsNegative: got %v", got)
	}
}

func pod(change ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{
		{Name: "a", Resources: corev1.ResourceRequirements{Requests: list("cpu", "100m", "example.com/gpu", "1"), Limits: list("cpu", "1", "memory", "1Gi")}},
		{Name: "b", Resources: corev1.ResourceRequirements{Requests: list("cpu", "200m")}},
	}}}
	for _, c := range change {
		c(p)
	}
	return p
}

func deletedAt(at time.Time, grace int64) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &metav1.Time{Time: at}, &grace
	}
}

func TestUsage(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	running := "count/pods=1,cpu=300m,limits.cpu=1,limits.memory=1Gi,pods=1,requests.cpu=300m,requests.example.com/gpu=1"
	class, no := "fast", false
	for _, test := range []struct {
		what string
		obj  api.Object
		want string
	}{
		{"a Pod", pod(), running},
		{"a Pod that has finished", pod(func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }), "count/pods=1"},
		{"a Pod that is ending", pod(deletedAt(now.Add(-10*time.Second), 30)), running},
		{"a Pod that should have ended", pod(deletedAt(now.Add(-31*time.Second), 30)), "count/pods=1"},
		{"init containers and a sidecar", pod(func(p *corev1.Pod) {
			p.Spec.InitContainers = []corev1.Container{
				{Name: "side", RestartPolicy: &always, Resources: corev1.ResourceRequirements{Requests: list("cpu", "50m")}},
				{Name: "setup", Resources: corev1.ResourceRequirements{Requests: list("cpu", "1", "memory", "1Mi")}},
			}
		}), "count/pods=1,cpu=1050m,limits.cpu=1,limits.memory=1Gi,memory=1Mi,pods=1,requests.cpu=1050m,requests.example.com/gpu=1,requests.memory=1Mi"},
		{"overhead", pod(func(p *corev1.Pod) { p.Spec.Overhead = list("cpu", "10m", "memory", "1Mi") }),
			"count/pods=1,cpu=310m,limits.cpu=1010m,limits.memory=1025Mi,memory=1Mi,pods=1,requests.cpu=310m,requests.example.com/gpu=1,requests.memory=1Mi"},
		{"a ConfigMap", &corev1.ConfigMap{}, "configmaps=1,count/configmaps=1"},
		{"an Event", &corev1.Event{}, "count/events=1"},
		{"a Service", &corev1.Service{}, "count/services=1,services=1,services.loadbalancers=0,services.nodeports=0"},
		{"a NodePort", &corev1.Service{Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeNodePort, Ports: make([]corev1.ServicePort, 2)}},
			"count/services=1,services=1,services.loadbalancers=0,services.nodeports=2"},
		{"a load balancer that wants no ports", &corev1.Service{Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer,
			AllocateLoadBalancerNodePorts: &no, Ports: []corev1.ServicePort{{NodePort: 30000}, {}}}},
			"count/services=1,services=1,services.loadbalancers=1,services.nodeports=1"},
	} {
		if got := PrettyPrint(Usage(test.obj, now)); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.what, got, test.want)
		}
	}
	claim := &corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{StorageClassName: &class,
		Resources: corev1.VolumeResourceRequirements{Requests: list("storage", "1Gi")}}}
	want := "count/persistentvolumeclaims=1,fast.storageclass.storage.k8s.io/persistentvolumeclaims=1,fast.storageclass.storage.k8s.io/requests.storage=1Gi,persistentvolumeclaims=1,requests.storage=1Gi"
	if got := PrettyPrint(pvcEvaluator{}.Usage(claim, now)); got != want {
		t.Errorf("a claim:\ngot  %s\nwant %s", got, want)
	}
}

func TestMatches(t *testing.T) {
	quota := func(hard string, scopes ...corev1.ResourceQuotaScope) *corev1.ResourceQuota {
		return &corev1.ResourceQuota{Spec: corev1.ResourceQuotaSpec{Scopes: scopes}, Status: corev1.ResourceQuotaStatus{Hard: list(hard, "1")}}
	}
	priority := func(op corev1.ScopeSelectorOperator, values ...string) *corev1.ResourceQuota {
		q := quota("pods")
		q.Spec.ScopeSelector = &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{
			{ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: op, Values: values}}}
		return q
	}
	high := func(p *corev1.Pod) { p.Spec.PriorityClassName = "high" }
	for _, test := range []struct {
		what  string
		quota *corev1.ResourceQuota
		obj   api.Object
		want  bool
	}{
		{"what it limits", quota("requests.cpu"), pod(), true},
		{"an extended resource", quota("requests.example.com/gpu"), pod(), true},
		{"something else", quota("secrets"), pod(), false},
		{"a count", quota("count/configmaps"), &corev1.ConfigMap{}, true},
		{"best effort", quota("pods", corev1.ResourceQuotaScopeBestEffort), pod(), false},
		{"not best effort", quota("pods", corev1.ResourceQuotaScopeNotBestEffort), pod(), true},
		{"not best effort, and ending", quota("pods", corev1.ResourceQuotaScopeNotBestEffort, corev1.ResourceQuotaScopeTerminating), pod(), false},
		{"a class of priority", priority(corev1.ScopeSelectorOpIn, "high"), pod(high), true},
		{"another class of priority", priority(corev1.ScopeSelectorOpIn, "low"), pod(high), false},
		{"any other class of priority, none", priority(corev1.ScopeSelectorOpNotIn, "high"), pod(), true},
		{"a class of priority at all", priority(corev1.ScopeSelectorOpExists), pod(), false},
		{"scopes are for Pods", quota("count/configmaps", corev1.ResourceQuotaScopeBestEffort), &corev1.ConfigMap{}, false},
	} {
		got, err := Matches(test.quota, EvaluatorFor(api.KindOf(test.obj).GroupResource()), test.obj)
		if err != nil || got != test.want {
			t.Errorf("%s: got %v, %v; want %v", test.what, got, err, test.want)
		}
	}
}

func TestConstraints(t *testing.T) {
	for _, test := range []struct {
		required []corev1.ResourceName
		pod      *corev1.Pod
		want     string
	}{
		{[]corev1.ResourceName{"requests.cpu", "pods"}, pod(), ""},
		{[]corev1.ResourceName{"limits.memory", "limits.cpu"}, pod(), "must specify limits.cpu for: b; limits.memory for: b"},
		{[]corev1.ResourceName{"memory"}, pod(), "must specify memory for: a,b"},
		{[]corev1.ResourceName{"memory"}, pod(func(p *corev1.Pod) {
			p.Spec.Resources = &corev1.ResourceRequirements{Requests: list("memory", "1Gi")}
		}), ""},
	} {
		got := ""
		if err := (podEvaluator{}).Constraints(test.required, test.pod); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%v: got %q, want %q", test.required, got, test.want)
		}
	}
}
