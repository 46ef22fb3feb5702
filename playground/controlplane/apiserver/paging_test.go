package apiserver

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// A page that comes too late is told how to go on, with what there is now.
func TestExpiredPages(t *testing.T) {
	w := newWorld(t, trace.Off)
	w.run(func(p *sim.Proc) {
		for i := range 4 {
			w.must(p, post("cm", fmt.Sprintf(`{"metadata":{"name":"c%d"}}`, i)))
		}
		page := func(o metav1.ListOptions) (client.Result, error) {
			return w.do(p, &client.Request{Verb: client.List, Resource: cmResource, Namespace: "default", List: o})
		}
		first, err := page(metav1.ListOptions{Limit: 2})
		if err != nil {
			t.Fatal(err)
		}
		token := first.(*corev1.ConfigMapList).Continue
		if _, err := page(metav1.ListOptions{Limit: 2, Continue: token,
			ResourceVersion: "5"}); fmt.Sprint(err) != "specifying resource version is not allowed when using continue" {
			t.Errorf("%v", err)
		}
		w.must(p, post("cm", `{"metadata":{"name":"c9"}}`))
		p.Sleep(11 * time.Minute) // twice compacted
		_, err = page(metav1.ListOptions{Limit: 2, Continue: token})
		if !apierrors.IsResourceExpired(err) || !strings.Contains(err.Error(), "use the continue token in this response") {
			t.Fatalf("%v", err)
		}
		rest, err := page(metav1.ListOptions{Continue: err.(*apierrors.StatusError).ErrStatus.Continue})
		if err != nil {
			t.Fatal(err)
		}
		if items := rest.(*corev1.ConfigMapList).Items; len(items) != 3 || items[0].Name != "c2" || items[2].Name != "c9" {
			t.Errorf("%d items", len(items))
		}
	})
}

func TestDryRunOfDelete(t *testing.T) {
	w := newWorld(t, trace.Off)
	w.run(func(p *sim.Proc) {
		w.must(p, post("cm", `{"metadata":{"name":"c"}}`))
		w.must(p, remove(cmResource, "c", metav1.DeleteOptions{DryRun: []string{"All"}}))
		if w.st.Current(key(cmResource, "c")) == nil {
			t.Error("it is gone")
		}
		if _, err := w.do(p, remove(cmResource, "c",
			metav1.DeleteOptions{DryRun: []string{"Some"}})); fmt.Sprint(err) != `DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: "Some": supported values: "All"` {
			t.Errorf("%v", err)
		}
	})
}
