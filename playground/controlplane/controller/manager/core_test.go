package manager_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/quota"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/controller/manager"
	"kubewalk/playground/controlplane/controller/rootca"
	"kubewalk/playground/sim"
)

func only(controllers ...string) manager.Options {
	options := manager.DefaultOptions()
	options.Controllers = controllers
	return options
}

func (w *world) namespace(name string) *corev1.Namespace {
	for _, ns := range objects[*corev1.Namespace](w, "namespaces") {
		if ns.Name == name {
			return ns
		}
	}
	return nil
}

func (w *world) createNamespace(name string) {
	w.t.Helper()
	w.do(func(p *sim.Proc) error {
		_, err := w.cs.CoreV1().Namespaces().Create(p, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		return err
	})
}

func (w *world) deleteNamespace(name string) {
	w.t.Helper()
	w.do(func(p *sim.Proc) error { return w.cs.CoreV1().Namespaces().Delete(p, name, metav1.DeleteOptions{}) })
}

// in lists what is in a namespace.
func (w *world) in(namespace string) string {
	var out []string
	seen := map[string]bool{}
	for _, kind := range api.Kinds() {
		if kind.Resource == "" || kind.Resource == "events" || seen[kind.Resource] {
			continue
		}
		seen[kind.Resource] = true
		for _, obj := range objects[api.Object](w, kind.Resource) {
			if obj.GetNamespace() == namespace && obj.GetName() != "kubernetes" { // the API server's own
				out = append(out, kind.Resource+"/"+obj.GetName())
			}
		}
	}
	return strings.Join(out, " ")
}

// Every active namespace gets an account and a root CA, and gets them back.
func TestEachNamespaceIsFurnished(t *testing.T) {
	w := newWorld(t, only("serviceaccount-controller", "root-ca-certificate-publisher-controller"))
	const furnished = "configmaps/kube-root-ca.crt serviceaccounts/default"
	for _, name := range []string{"default", "kube-system", "kube-public", "kube-node-lease"} {
		if got := w.in(name); got != furnished {
			t.Errorf("namespace %s has %q", name, got)
		}
	}
	w.createNamespace("team")
	w.until(5*time.Second, "furnished", func() bool { return w.in("team") == furnished })
	w.expectCount("service-account-controller create serviceaccounts ok", 1)
	w.expectCount("root-ca-cert-publisher create configmaps ok", 1)
	w.do(func(p *sim.Proc) error {
		if err := w.cs.CoreV1().ServiceAccounts("team").Delete(p, "default", metav1.DeleteOptions{}); err != nil {
			return err
		}
		_, err := w.cs.CoreV1().ConfigMaps("team").Patch(p, rootca.RootCACertConfigMapName, types.MergePatchType, []byte(`{"data":{"ca.crt":"mine"}}`),
			metav1.PatchOptions{})
		return err
	})
	w.until(5*time.Second, "mended", func() bool {
		for _, cm := range objects[*corev1.ConfigMap](w, "configmaps") {
			if cm.Namespace == "team" && cm.Data["ca.crt"] != rootca.RootCA {
				return false
			}
		}
		return w.in("team") == furnished
	})
	w.deleteNamespace("team")
	w.do(func(p *sim.Proc) error {
		return w.cs.CoreV1().ServiceAccounts("team").Delete(p, "default", metav1.DeleteOptions{})
	})
	w.run(5 * time.Second)
	w.expectCount("service-account-controller create serviceaccounts Forbidden", 0) // it knows that the namespace goes
}

func TestNamespaceIsEmptied(t *testing.T) {
	w := newWorld(t, manager.DefaultOptions(), "node-1")
	w.createNamespace("team")
	rs := webReplicaSet(2)
	rs.Namespace = "team"
	w.create(rs)
	w.until(10*time.Second, "two Pods ready", w.ready("web", 2))
	deleted := w.k.Elapsed()
	w.deleteNamespace("team")
	w.until(time.Second, "terminating", func() bool { return w.namespace("team").Status.Phase == corev1.NamespaceTerminating })
	w.run(4 * time.Second)
	if w.namespace("team") == nil || len(w.pods()) != 2 {
		t.Error("nothing is deleted in the first five seconds")
	}
	w.until(90*time.Second, "gone", func() bool { return w.namespace("team") == nil })
	if took := w.k.Elapsed() - deleted; took < 5*time.Second {
		t.Errorf("it was gone after %v", took)
	}
	if left := w.in("team"); left != "" {
		t.Errorf("left are %s", left)
	}
	// Pods went first: their collection was deleted before any other.
	for _, line := range w.audit {
		if strings.HasPrefix(line, "namespace-controller deletecollection ") {
			if line != "namespace-controller deletecollection pods ok" {
				t.Errorf("first it does %q", line)
			}
			break
		}
	}
	if w.count("namespace-controller update namespaces/finalize ok") != 1 {
		t.Errorf("audit:\n%s", strings.Join(w.audit, "\n"))
	}
}

// As long as there are Pods nothing else goes, and the conditions don't say what is left.
// Upstream: namespaced_resources_deleter.go, deleteAllContent (OrderedNamespaceDeletion).
func TestNamespaceWaitsForItsPods(t *testing.T) {
	w := newWorld(t, only("namespace-controller"))
	w.createNamespace("team")
	keep := []string{"example.com/keep"}
	w.do(func(p *sim.Proc) error {
		pod := webReplicaSet(1).Spec.Template
		if _, err := w.cs.CoreV1().Pods("team").Create(p, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: "kept", Namespace: "team", Finalizers: keep}, Spec: pod.Spec}, metav1.CreateOptions{}); err != nil {
			return err
		}
		_, err := w.cs.CoreV1().ConfigMaps("team").Create(p, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: "team"}},
			metav1.CreateOptions{})
		return err
	})
	w.deleteNamespace("team")
	w.run(40 * time.Second)
	if left := w.in("team"); !strings.Contains(left, "kept") || !strings.Contains(left, "settings") {
		t.Errorf("left are %q", left)
	}
	for _, c := range w.namespace("team").Status.Conditions {
		if c.Type == corev1.NamespaceContentRemaining && (c.Status != corev1.ConditionFalse || c.Reason != "ContentRemoved") ||
			c.Type == corev1.NamespaceFinalizersRemaining && c.Status != corev1.ConditionFalse {
			t.Errorf("%s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message)
		}
	}
	for _, line := range w.audit {
		if strings.HasPrefix(line, "namespace-controller deletecollection ") && line != "namespace-controller deletecollection pods ok" {
			t.Errorf("it does %q while there is a Pod", line)
		}
	}
	w.do(func(p *sim.Proc) error {
		pod, err := w.cs.CoreV1().Pods("team").Get(p, "kept", metav1.GetOptions{})
		if err != nil {
			return err
		}
		pod = pod.DeepCopy()
		pod.Finalizers = nil
		_, err = w.cs.CoreV1().Pods("team").Update(p, pod, metav1.UpdateOptions{})
		return err
	})
	w.until(40*time.Second, "gone", func() bool { return w.namespace("team") == nil })
}

// What keeps a namespace stands in its conditions.
func TestNamespaceSaysWhatKeepsIt(t *testing.T) {
	w := newWorld(t, only("namespace-controller"))
	w.createNamespace("team")
	w.do(func(p *sim.Proc) error {
		for i := range 2 {
			if _, err := w.cs.CoreV1().ConfigMaps("team").Create(p, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
				Name: fmt.Sprintf("kept-%d", i), Namespace: "team", Finalizers: []string{"example.com/keep"}}}, metav1.CreateOptions{}); err != nil {
				return err
			}
		}
		return nil
	})
	w.deleteNamespace("team")
	conditions := func() string {
		var out []string
		for _, c := range w.namespace("team").Status.Conditions {
			out = append(out, fmt.Sprintf("%s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message))
		}
		return strings.Join(out, "\n")
	}
	const want = `NamespaceDeletionDiscoveryFailure=False ResourcesDiscovered: All resources successfully discovered
NamespaceDeletionGroupVersionParsingFailure=False ParsedGroupVersions: All legacy kube types successfully parsed
NamespaceDeletionContentFailure=False ContentDeleted: All content successfully deleted, may be waiting on finalization
NamespaceContentRemaining=True SomeResourcesRemain: Some resources are remaining: configmaps. has 2 resource instances
NamespaceFinalizersRemaining=True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/keep in 2 resource instances`
	w.until(20*time.Second, "its conditions say so", func() bool { return conditions() == want })
	w.do(func(p *sim.Proc) error {
		for i := range 2 {
			if _, err := w.cs.CoreV1().ConfigMaps("team").Patch(p, fmt.Sprintf("kept-%d", i), types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`),
				metav1.PatchOptions{}); err != nil {
				return err
			}
		}
		return nil
	})
	w.until(20*time.Second, "gone", func() bool { return w.namespace("team") == nil })
}

func (w *world) used(name string) string {
	for _, q := range objects[*corev1.ResourceQuota](w, "resourcequotas") {
		if q.Name == name {
			return quota.PrettyPrint(q.Status.Used)
		}
	}
	return "no quota"
}

func hard(kv ...string) corev1.ResourceList {
	out := corev1.ResourceList{}
	for i := 0; i < len(kv); i += 2 {
		out[corev1.ResourceName(kv[i])] = resource.MustParse(kv[i+1])
	}
	return out
}

func (w *world) createQuota(name string, spec corev1.ResourceQuotaSpec) {
	w.t.Helper()
	w.do(func(p *sim.Proc) error {
		_, err := w.cs.CoreV1().ResourceQuotas("default").Create(p, &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
			Spec: spec}, metav1.CreateOptions{})
		return err
	})
}

func TestQuotasAreCounted(t *testing.T) {
	w := newWorld(t, only("resourcequota-controller", "replicaset-controller"), "node-1")
	rs := webReplicaSet(3)
	rs.Spec.Template.Spec.Containers[0].Resources.Requests = hard("cpu", "100m")
	w.create(rs)
	w.configMap("a")
	w.configMap("b")
	w.until(10*time.Second, "three Pods ready", w.ready("web", 3))
	w.createQuota("all", corev1.ResourceQuotaSpec{Hard: hard("pods", "10", "requests.cpu", "2", "count/configmaps", "5", "count/replicasets.apps", "2")})
	w.createQuota("best-effort", corev1.ResourceQuotaSpec{Hard: hard("pods", "1"), Scopes: []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeBestEffort}})
	w.until(5*time.Second, "counted", func() bool {
		return w.used("all") == "count/configmaps=2,count/replicasets.apps=1,pods=3,requests.cpu=300m" && w.used("best-effort") == "pods=0"
	})
	w.scale("web", 1)
	w.do(func(p *sim.Proc) error {
		return w.cs.CoreV1().ConfigMaps("default").Delete(p, "a", metav1.DeleteOptions{})
	})
	w.until(10*time.Second, "replenished", func() bool {
		return w.used("all") == "count/configmaps=1,count/replicasets.apps=1,pods=1,requests.cpu=100m"
	})
	w.do(func(p *sim.Proc) error {
		_, err := w.cs.CoreV1().ResourceQuotas("default").Patch(p, "all", types.MergePatchType, []byte(`{"spec":{"hard":{"secrets":"3","pods":null}}}`),
			metav1.PatchOptions{})
		return err
	})
	w.until(10*time.Second, "counted by the new limits", func() bool {
		return w.used("all") == "count/configmaps=1,count/replicasets.apps=1,requests.cpu=100m,secrets=0"
	})
	// Somebody writes nonsense into the status: it is put right within five minutes.
	w.do(func(p *sim.Proc) error {
		_, err := w.cs.CoreV1().ResourceQuotas("default").Patch(p, "all", types.MergePatchType, []byte(`{"status":{"used":{"count/configmaps":"4"}}}`),
			metav1.PatchOptions{}, "status")
		return err
	})
	w.until(6*time.Minute, "counted anew", func() bool {
		return w.used("all") == "count/configmaps=1,count/replicasets.apps=1,requests.cpu=100m,secrets=0"
	})
}
