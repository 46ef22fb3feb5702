package apiserver

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

func TestWarnings(t *testing.T) {
	w := newWorld(t, trace.Off)
	w.run(func(p *sim.Proc) {
		said := func(r *client.Request) (list []string) {
			r.Warn = func(text string) { list = append(list, text) }
			w.must(p, r)
			return list
		}
		unknown := post("cm", `{"metadata":{"name":"a","finalizers":["mine"]},"date":{},"data":{"x":"1","x":"2"}}`)
		unknown.FieldValidation = metav1.FieldValidationWarn
		want := []string{`unknown field "date"`, `duplicate field "data.x"`,
			`metadata.finalizers: "mine": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers`}
		if got := said(unknown); !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		if cm := w.st.Current(key(cmResource, "a")).(*corev1.ConfigMap); cm.Data["x"] != "2" {
			t.Errorf("of a repeated field the last counts: %v", cm.Data)
		}
		ignore := post("cm", `{"metadata":{"name":"b"},"date":{}}`)
		ignore.FieldValidation = metav1.FieldValidationIgnore
		if got := said(ignore); got != nil {
			t.Errorf("%q", got)
		}
		if _, err := w.do(p, post("cm", `{"metadata":{"name":"c"},"date":{}}`)); err == nil ||
			!strings.Contains(err.Error(), `strict decoding error: unknown field "date"`) {
			t.Errorf("%v", err)
		}
		odd := post("cm", `{"metadata":{"name":"c"}}`)
		odd.FieldValidation = "Loose"
		if _, err := w.do(p, odd); err == nil ||
			err.Error() != `CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Loose": supported values: "", "Ignore", "Strict", "Warn"` {
			t.Errorf("%v", err)
		}
		// Each of very many owners is looked up, not compared with all others.
		var owners strings.Builder
		for i := range 20_000 {
			fmt.Fprintf(&owners, `{"apiVersion":"v1","kind":"ConfigMap","name":"o%d","uid":"1"},`, i)
		}
		began := time.Now()
		twice := `{"apiVersion":"v1","kind":"ConfigMap","name":"o1","uid":"1"},{"apiVersion":"v1","kind":"ConfigMap","name":"o1","uid":"1","controller":false}`
		if got := said(post("cm", `{"metadata":{"name":"d","ownerReferences":[`+owners.String()+twice+`,`+twice+`]}}`)); len(got) != 1 ||
			!strings.HasSuffix(got[0], "; duplicate UID(s) observed: 1, 1, 1") {
			t.Errorf("%q", got)
		}
		if cm := w.st.Current(key(cmResource, "d")); len(cm.GetOwnerReferences()) != 20_001 {
			t.Errorf("%d owners are kept", len(cm.GetOwnerReferences()))
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("20,000 owners take %v", took)
		}
		if got := said(&client.Request{Verb: client.List, Resource: api.Resolve("endpoints").GroupVersionResource()}); !slices.Equal(got,
			[]string{"v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"}) {
			t.Errorf("%q", got)
		}
	})
}

// Jobs are older than the garbage collector: a delete that says nothing leaves their Pods.
func TestWhatIsOrphanedByDefault(t *testing.T) {
	w := newWorld(t, trace.Off)
	jobs := api.Resolve("jobs").GroupVersionResource()
	background := metav1.DeletePropagationBackground
	w.run(func(p *sim.Proc) {
		body := `{"metadata":{"name":"j"},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"x"}]}}}}`
		for _, c := range []struct {
			options metav1.DeleteOptions
			orphans bool
		}{{metav1.DeleteOptions{}, true}, {metav1.DeleteOptions{PropagationPolicy: &background}, false}} {
			w.must(p, post("jobs", body))
			warned := false
			r := remove(jobs, "j", c.options)
			r.Warn = func(string) { warned = true }
			w.must(p, r)
			obj := w.st.Current(key(jobs, "j"))
			if orphans := obj != nil && slices.Contains(obj.GetFinalizers(), "orphan"); orphans != c.orphans || warned != c.orphans {
				t.Errorf("%+v: orphans %v, warned %v", c.options, orphans, warned)
			}
			if obj != nil {
				obj = obj.DeepCopyObject()
				obj.SetFinalizers(nil)
				w.must(p, update(jobs, "", obj))
			}
			p.Sleep(time.Second)
		}
	})
}
