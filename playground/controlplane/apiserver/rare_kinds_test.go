package apiserver

import (
	"fmt"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

func withAllKinds() Options {
	opts := DefaultOptions()
	opts.AllKinds, opts.Devices = true, true
	return opts
}

// postRare is post for what may be of a kind that not every server has.
func postRare(resource, body string) *client.Request {
	kind := api.AllKinds().Resolve(resource)
	r := &client.Request{Verb: client.Create, Resource: kind.GroupVersionResource(), Body: []byte(body)}
	if kind.Namespaced {
		r.Namespace = "default"
	}
	return r
}

// A server that was not asked for all kinds has none of the rare ones, in any form.
func TestRareKindsAreAbsent(t *testing.T) {
	w := newWorld(t, trace.Off)
	w.run(func(p *sim.Proc) {
		for _, k := range api.AllKinds()[len(api.Kinds()):] {
			_, err := w.do(p, &client.Request{Verb: client.List, Resource: k.GroupVersionResource()})
			if fmt.Sprint(err) != "the server could not find the requested resource" {
				t.Errorf("%s: %v", k.GroupVersionKind, err)
			}
			if w.s.Kinds().For(k.GroupVersionKind) != nil || w.s.Kinds().ForResource(k.GroupVersionResource()) != nil {
				t.Errorf("%s is known", k.GroupVersionKind)
			}
		}
	})
}

func TestRuntimeClasses(t *testing.T) {
	w := newWorldWith(t, trace.Off, withAllKinds())
	pod := func(name, more string) string {
		return `{"metadata":{"name":"` + name + `"},"spec":{"runtimeClassName":"sandbox","containers":[{"name":"web","image":"nginx"}]` + more + `}}`
	}
	w.run(func(p *sim.Proc) {
		w.must(p, postRare("runtimeclasses", `{"metadata":{"name":"sandbox"},"handler":"sandbox","overhead":{"podFixed":{"cpu":"250m","memory":"120Mi"}},
			"scheduling":{"nodeSelector":{"sandbox":"yes"},"tolerations":[{"key":"sandbox","operator":"Exists"}]}}`))
		got := w.must(p, post("pods", pod("a", `,"nodeSelector":{"disk":"ssd"},"tolerations":[{"key":"sandbox","operator":"Equal","value":"x","effect":"NoSchedule"}]`))).(*corev1.Pod)
		cpu := got.Spec.Overhead["cpu"]
		if cpu.String() != "250m" || fmt.Sprint(got.Spec.NodeSelector) != "map[disk:ssd sandbox:yes]" {
			t.Errorf("%+v", got.Spec)
		}
		if s := got.Spec.Tolerations[2]; s.Key != "sandbox" || s.Operator != "Exists" || s.Effect != "" || len(got.Spec.Tolerations) != 3 {
			// It tolerates all that the Pod's own does.
			t.Errorf("%+v", s)
		}
		for _, c := range []struct{ resource, body, want string }{
			{"pods", pod("b", `,"nodeSelector":{"sandbox":"no"}`),
				`pods "b" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[sandbox] = yes; pod.spec.nodeSelector[sandbox] = no`},
			{"pods", pod("b", `,"overhead":{"cpu":"1"}`), `pods "b" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead`},
			{"pods", `{"metadata":{"name":"b"},"spec":{"overhead":{"cpu":"1"},"containers":[{"name":"web","image":"nginx"}]}}`,
				`pods "b" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead`},
			{"runtimeclasses", `{"metadata":{"name":"x"},"handler":"A_b","overhead":{"podFixed":{"cpu":"-1"}},"scheduling":{"nodeSelector":{"a b":"c"}}}`,
				`RuntimeClass.node.k8s.io "x" is invalid: [handler: Invalid value: "A_b": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?'), overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0, scheduling.nodeSelector: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')]`},
		} {
			if _, err := w.do(p, postRare(c.resource, c.body)); fmt.Sprint(err) != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		}
		_, err := w.do(p, &client.Request{Verb: client.Patch, Resource: api.AllKinds().Resolve("runtimeclasses").GroupVersionResource(), Name: "sandbox",
			PatchType: "application/merge-patch+json", Patch: []byte(`{"handler":"other"}`)})
		if fmt.Sprint(err) != `RuntimeClass.node.k8s.io "sandbox" is invalid: handler: Invalid value: "other": field is immutable` {
			t.Errorf("%v", err)
		}
	})
}
