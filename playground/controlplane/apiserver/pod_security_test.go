package apiserver

import (
	"slices"
	"strings"
	"testing"

	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// warned is what a request's answer warns of.
func (w *world) warned(p *sim.Proc, r *client.Request) (warnings []string, err error) {
	r.Warn = func(text string) { warnings = append(warnings, text) }
	_, err = w.do(p, r)
	return warnings, err
}

func labelNamespace(labels string) *client.Request {
	return &client.Request{Verb: client.Patch, Resource: nsResource, Name: "default", PatchType: "application/merge-patch+json",
		Patch: []byte(`{"metadata":{"labels":{` + labels + `}}}`)}
}

func TestPodSecurity(t *testing.T) {
	const enforce = `"pod-security.kubernetes.io/enforce":`
	const all = `allowPrivilegeEscalation != false (container "web" must set securityContext.allowPrivilegeEscalation=false), ` +
		`unrestricted capabilities (container "web" must set securityContext.capabilities.drop=["ALL"]), ` +
		`runAsNonRoot != true (pod or container "web" must set securityContext.runAsNonRoot=true), ` +
		`seccompProfile (pod or container "web" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")`
	const good = `{"metadata":{"name":"good"},"spec":{"securityContext":{"runAsNonRoot":true,"seccompProfile":{"type":"RuntimeDefault"}},"containers":[
		{"name":"web","image":"nginx","securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}}}]}}`
	w := newWorld(t, trace.Off)
	w.run(func(p *sim.Proc) {
		w.must(p, post("pods", pod("a", "{}")))
		w.must(p, post("pods", pod("b", "{}")))
		// A stricter level only warns of what is there.
		warnings, err := w.warned(p, labelNamespace(enforce+`"restricted"`))
		want := []string{`existing pods in namespace "default" violate the new PodSecurity enforce level "restricted:latest"`,
			`a (and 1 other pod): allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile`}
		if err != nil || !slices.Equal(warnings, want) {
			t.Errorf("%v %q", err, warnings)
		}
		if _, err := w.do(p, post("pods", pod("c", "{}"))); err == nil ||
			err.Error() != `pods "c" is forbidden: violates PodSecurity "restricted:latest": `+all {
			t.Errorf("%v", err)
		}
		if warnings, err := w.warned(p, post("pods", good)); err != nil || warnings != nil {
			t.Errorf("%v %q", err, warnings)
		}
		// Who makes Pods from a template is warned, and not refused.
		warnings, err = w.warned(p, create(rsResource, newRS("web", 1)))
		if want := `would violate PodSecurity "restricted:latest": ` + all; err != nil || !slices.Equal(warnings, []string{want}) {
			t.Errorf("%v %q", err, warnings)
		}
		// Pods that are there may be changed, but for their images.
		change := func(patch string) error {
			_, err := w.do(p, &client.Request{Verb: client.Patch, Resource: podsResource, Namespace: "default", Name: "a",
				PatchType: "application/strategic-merge-patch+json", Patch: []byte(patch)})
			return err
		}
		if err := change(`{"metadata":{"labels":{"x":"y"}}}`); err != nil {
			t.Error(err)
		}
		if err := change(`{"spec":{"containers":[{"name":"web","image":"nginx:2"}]}}`); err == nil || !strings.Contains(err.Error(), "violates PodSecurity") {
			t.Errorf("%v", err)
		}
		// A level that allows more needs no look at the Pods; one that is none is refused.
		if warnings, err := w.warned(p, labelNamespace(enforce+`"baseline"`)); err != nil || warnings != nil {
			t.Errorf("%v %q", err, warnings)
		}
		if _, err := w.do(p, labelNamespace(enforce+`"strict"`)); err == nil || err.Error() != `Namespace "default" is invalid: `+
			`metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted` {
			t.Errorf("%v", err)
		}
		if _, err := w.do(p, post("pods", pod("d", "{}"))); err != nil {
			t.Error(err)
		}
	})
}
