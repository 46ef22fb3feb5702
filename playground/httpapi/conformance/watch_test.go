package conformance

import (
	"context"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"kubewalk/playground/cluster"
)

// Who watches from an older version on hears who owned the fields of each version then, although the object is gone since.
func TestOwnersOfOldEvents(t *testing.T) {
	p := serve(t, cluster.DefaultConfig(), 1)
	clients := kubernetes.NewForConfigOrDie(p.config()).CoreV1().ConfigMaps("default")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var versions []*corev1.ConfigMap
	keep := func(c *corev1.ConfigMap, err error) *corev1.ConfigMap {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		versions = append(versions, c)
		return c.DeepCopy()
	}
	c := keep(clients.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Data: map[string]string{"a": "1"}}, metav1.CreateOptions{FieldManager: "one"}))
	c.Data["b"] = "2"
	c = keep(clients.Update(ctx, c, metav1.UpdateOptions{FieldManager: "two"}))
	c.Data["a"] = "3"
	keep(clients.Update(ctx, c, metav1.UpdateOptions{FieldManager: "two"}))
	if err := clients.Delete(ctx, "c", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w, err := clients.Watch(ctx, metav1.ListOptions{ResourceVersion: versions[0].ResourceVersion, FieldSelector: "metadata.name=c"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	for i, want := range []*corev1.ConfigMap{versions[1], versions[2], versions[2]} {
		e := <-w.ResultChan()
		if wantType := []watch.EventType{watch.Modified, watch.Modified, watch.Deleted}[i]; e.Type != wantType {
			t.Fatalf("event %d is %s, want %s", i, e.Type, wantType)
		}
		owners := func(c *corev1.ConfigMap) (out []string) {
			for _, f := range c.ManagedFields {
				out = append(out, f.Manager+": "+string(f.FieldsV1.Raw))
			}
			return out
		}
		if got := owners(e.Object.(*corev1.ConfigMap)); !slices.Equal(got, owners(want)) || len(got) == 0 {
			t.Errorf("event %d: the owners are %q, want %q", i, got, owners(want))
		}
	}
}
