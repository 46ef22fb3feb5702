package chaos

import (
	"strings"
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/trace"
)

// What is said of Nodes and Services in a cloud that are not as they have to be, and of none that are.
func TestCloudUnsettled(t *testing.T) {
	for name, test := range map[string]struct {
		change func(node *corev1.Node, svc *corev1.Service)
		want   string
	}{
		"as it should be": {func(*corev1.Node, *corev1.Service) {}, ""},
		"not initialised": {func(n *corev1.Node, _ *corev1.Service) {
			n.Spec.Taints = []corev1.Taint{{Key: "node.cloudprovider.kubernetes.io/uninitialized"}}
		}, "has the taint"},
		"no providerID":       {func(n *corev1.Node, _ *corev1.Service) { n.Spec.ProviderID = "" }, "has no providerID"},
		"no instance":         {func(n *corev1.Node, _ *corev1.Service) { n.Name = "node-2" }, "its instance does not run"},
		"pending for ever":    {func(_ *corev1.Node, s *corev1.Service) { s.Status = corev1.ServiceStatus{} }, "has 0 addresses"},
		"no longer asked for": {func(_ *corev1.Node, s *corev1.Service) { s.Spec.Type = corev1.ServiceTypeNodePort }, "of type NodePort, and has 1"},
		"not protected":       {func(_ *corev1.Node, s *corev1.Service) { s.Finalizers = nil }, "its finalizers are []"},
		"kept":                {func(_ *corev1.Node, s *corev1.Service) { s.DeletionTimestamp = &metav1.Time{} }, "is to go"},
	} {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}, Spec: corev1.NodeSpec{ProviderID: "kubewalk://zone-a/node-1"}}
		svc := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "public-web", Finalizers: []string{"service.kubernetes.io/load-balancer-cleanup"}},
			Spec:   corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer},
			Status: corev1.ServiceStatus{LoadBalancer: corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{{IP: "203.0.113.11"}}}}}
		test.change(node, svc)
		s := trace.State{
			{Kind: trace.CellComponent, Owner: cloudManager}:                            "running",
			{Kind: trace.CellComponent, Owner: "containerd/node-1"}:                     "running",
			{Kind: trace.CellObject, Owner: "nodes", Key: node.Name}:                    node,
			{Kind: trace.CellObject, Owner: "services", Key: "default/" + "public-web"}: svc,
		}
		var said []string
		cloudUnsettled(s, into(&said))
		if got := strings.Join(said, "; "); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: it says %q, want %q", name, got, test.want)
		}
	}
}
