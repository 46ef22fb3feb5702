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
	hookedBy(w, h)
	return w
}

// hookedBy has a Service with one endpoint lead to who answers.
func hookedBy(w *world, d Dialer) {
	w.s.ConnectPods(d)
	w.run(func(p *sim.Proc) {
		w.must(p, post("services", `{"metadata":{"name":"hook"},"spec":{"ports":[{"port":443}]}}`))
		w.must(p, post("endpointslices", `{"metadata":{"name":"hook-1","labels":{"kubernetes.io/service-name":"hook"}},"addressType":"IPv4",
			"endpoints":[{"addresses":["10.244.1.5"],"conditions":{"ready":true}}],"ports":[{"name":"","port":8443,"protocol":"TCP"}]}`))
	})
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
		`[{"op":"add","path":"/a/b/c","value":1}]`:                                                  "Internal error occurred: add operation does not apply: doc is missing path: \"/a/b/c\": missing value",
		`[{"op":"add","path":"/data","value":"text"}]`: "Internal error occurred: json: cannot unmarshal string into Go struct field " +
			"ConfigMap.data of type map[string]string",
		`{}`: `Internal error occurred: failed calling webhook "set.example.com": received undecodable patch in webhook response: ` +
			"json: cannot unmarshal object into Go value of type jsonpatch.Patch",
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

// TestBadReviews: what a webhook may not answer. The words are those of upstream's client.
func TestBadReviews(t *testing.T) {
	const (
		review    = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"UID",`
		validates = "validatingwebhookconfigurations"
		mutates   = "mutatingwebhookconfigurations"
		invalid   = "received invalid webhook response: "
		call      = "failed to call webhook: "
		noVersion = call + "couldn't get version/kind; json parse error: "
		meta      = ` into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`
	)
	for _, c := range []struct {
		resource string
		code     int
		answer   string
		want     string
	}{
		{validates, 200, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}`, invalid + "webhook response was absent"},
		{validates, 200, strings.Replace(review, "UID", "x", 1) + `"allowed":true}}`, invalid + `expected response.uid="`},
		{validates, 200, `{"kind":"AdmissionReview","response":{"uid":"UID","allowed":true}}`,
			invalid + "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=AdmissionReview"},
		{validates, 200, `{"apiVersion":"admission.k8s.io/v1","kind":"Review"}`,
			call + `no kind "Review" is registered for version "admission.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"`},
		{validates, 200, `{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview"}`,
			call + "converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion"},
		{validates, 200, review + `"patch":"W10="}}`, invalid + "validating webhook may not return response.patch"},
		{validates, 200, review + `"patchType":"JSONPatch"}}`, invalid + "validating webhook may not return response.patchType"},
		{mutates, 200, review + `"patch":"W10="}}`, invalid + "webhook returned response.patch but not response.patchType"},
		{mutates, 200, review + `"patchType":"JSONPatch"}}`, invalid + "webhook returned response.patchType but not response.patch"},
		{mutates, 200, review + `"allowed":true,"patch":"W3sib3AiOiJyZW1vdmUiLCJwYXRoIjoiL2RhdGEifV0=","patchType":"Merge"}}`, `unsupported patch type "Merge"`},
		{mutates, 200, "<html>", noVersion + "json: cannot unmarshal string" + meta},
		{validates, 200, "[]", noVersion + "json: cannot unmarshal array" + meta},
		{validates, 200, `{"a":`, noVersion + "unexpected end of JSON input"},
		{validates, 200, "", call + "0-length response with status code: 200 and content type: application/json"},
		{validates, 500, "two\nlines\n", call + `an error on the server ("two\nlines") has prevented the request from succeeding`},
		{validates, 500, `{"a":"b"}`, call + `an error on the server ("unknown") has prevented the request from succeeding`},
		{validates, 500, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"sad"}`, call + "sad"},
		{validates, 403, "go away", call + "go away"},
		{validates, 404, "404 page not found\n", call + "the server could not find the requested resource"},
		{validates, 503, "later", call + "the server is currently unable to handle the request"},
		{validates, 301, "", call + "the server responded with the status code 301 but did not return more information"},
	} {
		w := hooked(t, nil)
		w.s.ConnectPods(raw{c.code, c.answer})
		w.run(func(p *sim.Proc) {
			w.must(p, post(c.resource, `{"metadata":{"name":"a"},"webhooks":[`+webhookOf("see", anyConfigMap, "")+`]}`))
			_, err := w.do(p, post("configmaps", `{"metadata":{"name":"a"}}`))
			if want := `Internal error occurred: failed calling webhook "see.example.com": ` + c.want; err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%d %s\ngot  %v\nwant %s", c.code, c.answer, err, want)
			}
		})
	}
}

// raw answers all reviews with one code and text, in which UID is that of the review.
type raw struct {
	code int
	text string
}

func (r raw) Do(_ *sim.Proc, _ string, out Outgoing, _ time.Duration) (int, []byte, error) {
	var in struct{ Request struct{ UID string } }
	err := json.Unmarshal(out.Body, &in)
	return r.code, []byte(strings.Replace(r.text, `"UID"`, `"`+in.Request.UID+`"`, 1)), err
}

// TestAnnotationsOfWebhooks: what webhooks say for the audit event, and which of them were passed over.
func TestAnnotationsOfWebhooks(t *testing.T) {
	w := newWorld(t, trace.All)
	hookedBy(w, raw{200, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"UID","allowed":true,"auditAnnotations":{"why":"so"}}}`})
	w.run(func(p *sim.Proc) {
		gone := strings.Replace(webhookOf("gone", anyConfigMap, `,"failurePolicy":"Ignore"`), `"name":"hook"`, `"name":"nosuch"`, 1)
		for _, resource := range []string{"mutatingwebhookconfigurations", "validatingwebhookconfigurations"} {
			w.must(p, post(resource, `{"metadata":{"name":"a"},"webhooks":[`+webhookOf("see", anyConfigMap, "")+`,`+gone+`]}`))
		}
		w.must(p, post("configmaps", `{"metadata":{"name":"a"}}`))
	})
	want := "see.example.com/why=so, failed-open.mutation.webhook.admission.k8s.io/round_0_index_1=gone.example.com, " +
		"failed-open.validating.webhook.admission.k8s.io/round_0_index_1=gone.example.com"
	var got []string
	for _, e := range w.k.Trace().Events(1) {
		if text, _ := e.Get("annotations").(string); text != "" {
			got = append(got, text)
		}
	}
	if len(got) != 1 || got[0] != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
