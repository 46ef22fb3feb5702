package apiserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// hooks answers reviews by the paths of their webhooks, and keeps what was asked.
type hooks struct {
	answers map[string]func(request map[string]any) (patch string, denied string)
	asked   []string // "path OPERATION name"
	last    map[string]any
	takes   time.Duration
	shower
}

// shower shows a certificate, if it has one.
type shower struct{ certificate *string }

func (s *shower) shows(r *Outgoing) error {
	if s.certificate == nil {
		return nil
	}
	return r.Verify(*s.certificate)
}

func (h *hooks) Do(p *sim.Proc, address string, r Outgoing, _ time.Duration) (int, []byte, error) {
	url, body := r.URL, r.Body
	if err := h.shows(&r); err != nil {
		return 0, nil, err
	}
	var in struct{ Request map[string]any }
	if err := json.Unmarshal(body, &in); err != nil {
		return 0, nil, err
	}
	_, path, _ := strings.Cut(url, ":443/")
	path, _, _ = strings.Cut(path, "?")
	h.asked = append(h.asked, fmt.Sprint(path, " ", in.Request["operation"], " ", in.Request["name"]))
	h.last = in.Request
	p.Sleep(h.takes)
	patch, denied := h.answers[path](in.Request)
	response := map[string]any{"uid": in.Request["uid"], "allowed": denied == ""}
	if denied != "" {
		response["status"] = map[string]any{"message": denied, "code": 403}
	}
	if patch != "" {
		response["patch"], response["patchType"] = []byte(patch), "JSONPatch"
	}
	answer, err := json.Marshal(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response})
	return 200, answer, err
}

func allows(map[string]any) (string, string) { return "", "" }

// hooked is a server with webhooks behind a Service with one endpoint.
func hooked(t *testing.T, h *hooks) *world {
	w := newWorld(t, trace.Off)
	w.s.ConnectPods(h)
	w.run(func(p *sim.Proc) {
		w.must(p, post("services", `{"metadata":{"name":"hook"},"spec":{"ports":[{"port":443}]}}`))
		w.must(p, post("endpointslices", `{"metadata":{"name":"hook-1","labels":{"kubernetes.io/service-name":"hook"}},"addressType":"IPv4",
			"endpoints":[{"addresses":["10.244.1.5"],"conditions":{"ready":true}}],"ports":[{"name":"","port":8443,"protocol":"TCP"}]}`))
	})
	return w
}

// webhookOf is a webhook with its path for a name.
func webhookOf(path, rule, more string) string {
	return `{"name":"` + path + `.example.com","sideEffects":"None","admissionReviewVersions":["v1"],
		"clientConfig":{"service":{"namespace":"default","name":"hook","path":"/` + path + `"}},"rules":[` + rule + `]` + more + `}`
}

const (
	anyConfigMap = `{"apiGroups":[""],"apiVersions":["v1"],"operations":["*"],"resources":["configmaps"]}`
	anyPod       = `{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}`
)

func TestReviewOfADeletion(t *testing.T) {
	h := &hooks{answers: map[string]func(map[string]any) (string, string){"keep": func(r map[string]any) (string, string) {
		if r["operation"] == "DELETE" {
			return "", "it stays"
		}
		return "", ""
	}, "see": allows}}
	w := hooked(t, h)
	w.run(func(p *sim.Proc) {
		w.must(p, post("mutatingwebhookconfigurations", `{"metadata":{"name":"a"},"webhooks":[`+webhookOf("see", anyConfigMap, "")+`]}`))
		w.must(p, post("validatingwebhookconfigurations", `{"metadata":{"name":"a"},"webhooks":[`+webhookOf("keep", anyConfigMap, "")+`]}`))
		w.must(p, post("configmaps", `{"metadata":{"name":"a","labels":{"x":"y"}}}`))
		_, err := w.do(p, remove(cmResource, "a", metav1.DeleteOptions{}))
		if err == nil || err.Error() != `admission webhook "keep.example.com" denied the request: it stays` {
			t.Errorf("%v", err)
		}
		old, _ := h.last["oldObject"].(map[string]any)
		if h.last["object"] != nil || old == nil || old["metadata"].(map[string]any)["name"] != "a" {
			t.Errorf("%v", h.last)
		}
		w.must(p, get(cmResource, "a"))
	})
	if want := []string{"see CREATE a", "keep CREATE a", "see DELETE a", "keep DELETE a"}; !slices.Equal(h.asked, want) {
		t.Errorf("%q", h.asked)
	}
}

// TestReinvocation: a webhook that wants to is asked again after another has changed the object, and the server's own plugins are, too.
func TestReinvocation(t *testing.T) {
	label := func(name string) func(map[string]any) (string, string) {
		return func(r map[string]any) (string, string) {
			labels, _ := r["object"].(map[string]any)["metadata"].(map[string]any)["labels"].(map[string]any)
			if labels[name] != nil {
				return "", ""
			}
			return `[{"op":"add","path":"/metadata/labels/` + name + `","value":"set"}]`, ""
		}
	}
	h := &hooks{answers: map[string]func(map[string]any) (string, string){
		"first": label("first"), "once": label("once"),
		"last": func(r map[string]any) (string, string) {
			return `[{"op":"add","path":"/spec/containers/-","value":{"name":"sidecar","image":"envoy"}}]`, ""
		},
	}}
	w := hooked(t, h)
	w.run(func(p *sim.Proc) {
		w.must(p, post("limits", `{"metadata":{"name":"l"},"spec":{"limits":[{"type":"Container","defaultRequest":{"cpu":"100m"}}]}}`))
		w.must(p, post("mutatingwebhookconfigurations", `{"metadata":{"name":"b"},"webhooks":[`+webhookOf("last", anyPod, "")+`]}`))
		w.must(p, post("mutatingwebhookconfigurations", `{"metadata":{"name":"a"},"webhooks":[`+
			webhookOf("first", anyPod, `,"reinvocationPolicy":"IfNeeded"`)+`,`+webhookOf("once", anyPod, "")+`]}`))
		got := w.must(p, post("pods", `{"metadata":{"name":"web","labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"nginx"}]}}`)).(*corev1.Pod)
		if len(got.Spec.Containers) != 2 || got.Labels["first"] != "set" || got.Labels["once"] != "set" {
			t.Errorf("%v %v", got.Labels, got.Spec.Containers)
		}
		for _, c := range got.Spec.Containers {
			if c.Resources.Requests.Cpu().String() != "100m" || c.ImagePullPolicy == "" {
				t.Errorf("container %s has no defaults: %v", c.Name, c.Resources)
			}
		}
	})
	if want := []string{"first CREATE web", "once CREATE web", "last CREATE web", "first CREATE web"}; !slices.Equal(h.asked, want) {
		t.Errorf("%q", h.asked)
	}
}

// TestPatches: what a webhook may write into an object.
func TestPatches(t *testing.T) {
	for patch, want := range map[string]string{
		`[{"op":"add","path":"/data","value":{"a":"b"}},{"op":"add","path":"/nonsense","value":1}]`: "", // upstream's decoder is not strict
		`[{"op":"add","path":"/a/b/c","value":1}]`:                                                  "Internal error occurred",
		`[]`: "",
	} {
		h := &hooks{answers: map[string]func(map[string]any) (string, string){"set": func(map[string]any) (string, string) { return patch, "" }}}
		w := hooked(t, h)
		w.run(func(p *sim.Proc) {
			w.must(p, post("mutatingwebhookconfigurations", `{"metadata":{"name":"a"},"webhooks":[`+webhookOf("set", anyConfigMap, "")+`]}`))
			got, err := w.do(p, post("configmaps", `{"metadata":{"name":"a"}}`))
			if want != "" {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v", patch, err)
				}
				return
			}
			if err != nil || (patch != "[]") != (got.(*corev1.ConfigMap).Data["a"] == "b") {
				t.Errorf("%s: %v %v", patch, got, err)
			}
		})
	}
}

// TestValidatingAtOnce: the webhooks that validate are asked beside each other.
func TestValidatingAtOnce(t *testing.T) {
	h := &hooks{takes: time.Second, answers: map[string]func(map[string]any) (string, string){"one": allows, "two": allows,
		"three": func(map[string]any) (string, string) { return "", "no" }}}
	w := hooked(t, h)
	w.run(func(p *sim.Proc) {
		w.must(p, post("validatingwebhookconfigurations", `{"metadata":{"name":"a"},"webhooks":[`+webhookOf("one", anyConfigMap, "")+`,`+
			webhookOf("two", anyConfigMap, "")+`,`+webhookOf("three", anyConfigMap, "")+`]}`))
		before := p.Now()
		_, err := w.do(p, post("configmaps", `{"metadata":{"name":"a"}}`))
		if took := p.Now() - before; err == nil || took < time.Second || took > 1100*time.Millisecond || len(h.asked) != 3 {
			t.Errorf("%v after %v, asked %q", err, took, h.asked)
		}
	})
}

func TestWhichRequestsAreReviewed(t *testing.T) {
	for _, c := range []struct {
		rule, more string
		dryRun     bool
		want       bool
	}{
		{anyConfigMap, "", false, true},
		{anyPod, "", false, false},
		{strings.Replace(anyConfigMap, `"*"`, `"UPDATE"`, 1), "", false, false},
		{strings.Replace(anyConfigMap, `"configmaps"`, `"*"`, 1), "", false, true},
		{strings.Replace(anyConfigMap, `"configmaps"`, `"*/status"`, 1), "", false, false},
		{strings.Replace(anyConfigMap, `"v1"`, `"v2"`, 1), "", false, false},
		{strings.Replace(anyConfigMap, `[""]`, `["apps"]`, 1), "", false, false},
		{strings.Replace(anyConfigMap, `}`, `,"scope":"Cluster"}`, 1), "", false, false},
		{strings.Replace(anyConfigMap, `}`, `,"scope":"Namespaced"}`, 1), "", false, true},
		{anyConfigMap, `,"objectSelector":{"matchLabels":{"x":"y"}}`, false, true},
		{anyConfigMap, `,"objectSelector":{"matchLabels":{"x":"z"}}`, false, false},
		{anyConfigMap, `,"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"default"}}`, false, true},
		{anyConfigMap, `,"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"other"}}`, false, false},
		{anyConfigMap, "", true, true},
	} {
		h := &hooks{answers: map[string]func(map[string]any) (string, string){"see": allows}}
		w := hooked(t, h)
		w.run(func(p *sim.Proc) {
			w.must(p, post("validatingwebhookconfigurations", `{"metadata":{"name":"a"},"webhooks":[`+webhookOf("see", c.rule, c.more)+`]}`))
			r := post("configmaps", `{"metadata":{"name":"a","labels":{"x":"y"}}}`)
			r.DryRun = c.dryRun
			w.must(p, r)
			if got := len(h.asked) == 1; got != c.want || c.want && h.last["dryRun"] != c.dryRun {
				t.Errorf("%s %s: asked %q %v", c.rule, c.more, h.asked, h.last)
			}
		})
	}
}

// TestBadReviews: what a webhook may not answer.
func TestBadReviews(t *testing.T) {
	for answer, want := range map[string]string{
		`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}`:                                                  "webhook response was absent",
		`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"x","allowed":true}}`:            `expected response.uid=`,
		`{"apiVersion":"admission.k8s.io/v1","kind":"Review","response":{"uid":"UID","allowed":true}}`:                   "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview",
		`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"UID","patch":"W10="}}`:          "validating webhook may not return response.patch",
		`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"UID","patchType":"JSONPatch"}}`: "validating webhook may not return response.patchType",
	} {
		w := hooked(t, nil)
		w.s.ConnectPods(raw(answer))
		w.run(func(p *sim.Proc) {
			w.must(p, post("validatingwebhookconfigurations", `{"metadata":{"name":"a"},"webhooks":[`+webhookOf("see", anyConfigMap, "")+`]}`))
			_, err := w.do(p, post("configmaps", `{"metadata":{"name":"a"}}`))
			if err == nil || !strings.Contains(err.Error(), `failed calling webhook "see.example.com": received invalid webhook response: `+want) {
				t.Errorf("%s\n%v", answer, err)
			}
		})
	}
}

// raw answers all reviews with one text, in which UID is that of the review.
type raw string

func (r raw) Do(_ *sim.Proc, _ string, out Outgoing, _ time.Duration) (int, []byte, error) {
	var in struct{ Request struct{ UID string } }
	err := json.Unmarshal(out.Body, &in)
	return 200, []byte(strings.Replace(string(r), `"UID"`, `"`+in.Request.UID+`"`, 1)), err
}
