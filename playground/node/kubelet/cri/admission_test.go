package cri

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// reviewOf is a review of a Pod.
func reviewOf(labels, image string) string {
	return fmt.Sprintf(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","kind":{"kind":"Pod"},
		"object":{"metadata":{%s},"spec":{"containers":[{"name":"web","image":%q}]}}}}`, labels, image)
}

func TestAdmissionRules(t *testing.T) {
	for _, c := range []struct {
		args           []string
		labels, image  string
		refusal, patch string
	}{
		{[]string{"--require-label=team"}, ``, "nginx", `label "team" is required`, ""},
		{[]string{"--require-label=team,app"}, `"labels":{"team":"a"}`, "nginx", `label "app" is required`, ""},
		{[]string{"--require-label=team"}, `"labels":{"team":""}`, "nginx", "", ""},
		{[]string{"--deny-image=*:latest"}, ``, "nginx:latest", `image "nginx:latest" is not allowed: no image may match "*:latest"`, ""},
		{[]string{"--deny-image=docker.io/*,*bad*"}, ``, "a/bad/b", `image "a/bad/b" is not allowed: no image may match "*bad*"`, ""},
		{[]string{"--deny-image=*:latest"}, ``, "nginx:latest-1", "", ""},
		{[]string{"--deny-image=nginx"}, ``, "nginx:1", "", ""},
		{[]string{"--deny-image=*:latest"}, ``, "nginx", `image "nginx" is not allowed: no image may match "*:latest"`, ""},
		{[]string{"--deny-image=*:latest"}, ``, "host:5000/nginx", `image "host:5000/nginx" is not allowed: no image may match "*:latest"`, ""},
		{[]string{"--deny-image=*:latest"}, ``, "nginx@sha256:00", "", ""},
		{[]string{"--deny-image=a*b*b"}, ``, "ab", "", ""},
		{[]string{"--deny-image=a*b*b"}, ``, "acbbb", `image "acbbb" is not allowed: no image may match "a*b*b"`, ""},
		{[]string{"--default-label=team=a,x/y=b"}, ``, "nginx", "", `[{"op":"add","path":"/metadata/labels","value":{}},` +
			`{"op":"add","path":"/metadata/labels/team","value":"a"},{"op":"add","path":"/metadata/labels/x~1y","value":"b"}]`},
		{[]string{"--default-label=team=a"}, `"labels":{"team":"b"}`, "nginx", "", ""},
		{[]string{"--add-container=proxy=envoy"}, ``, "nginx", "", `[{"op":"add","path":"/spec/containers/-","value":{"image":"envoy","name":"proxy"}}]`},
		{[]string{"--add-container=web=envoy"}, ``, "nginx", "", ""},
	} {
		p := NewProgram("kubewalk.dev/app", nil, c.args)
		code, body := p.Admission.review("/", reviewOf(c.labels, c.image))
		var out struct {
			Response struct {
				UID     string
				Allowed bool
				Patch   []byte
				Status  struct{ Message string }
			}
		}
		if err := json.Unmarshal([]byte(body), &out); err != nil || code != 200 {
			t.Fatalf("%d %s %v", code, body, err)
		}
		r := out.Response
		if r.UID != "u" || r.Allowed != (c.refusal == "") || r.Status.Message != c.refusal || string(r.Patch) != c.patch {
			t.Errorf("%q %s %s: %s", c.args, c.labels, c.image, body)
		}
	}
	if code, _ := new(admissionRules).review("/", `{"kind":"Pod"}`); code != 400 {
		t.Errorf("something else is answered with %d", code)
	}
	// A deletion has no object: nothing to say against it.
	if _, body := NewProgram("kubewalk.dev/app", nil, []string{"--require-label=team"}).Admission.review(
		"/", `{"kind":"AdmissionReview","request":{"uid":"u","operation":"DELETE"}}`); body != `{"apiVersion":"","kind":"AdmissionReview","response":{"allowed":true,"uid":"u"}}` {
		t.Error(body)
	}
	for _, bad := range []string{"--default-label=team", "--add-container==x", "--require-labels=x"} {
		if CheckAppFlag(bad) == nil {
			t.Errorf("%s passes", bad)
		}
	}
}

// FuzzAdmissionRules: a review may hold anything.
func FuzzAdmissionRules(f *testing.F) {
	f.Add("*a*:b", reviewOf(`"labels":null`, "a"))
	f.Fuzz(func(t *testing.T, pattern, body string) {
		(&admissionRules{deniedImages: []string{pattern}, defaultLabels: [][2]string{{"a", "b"}}}).review("/", body)
	})
}

// The paths of agnhost's webhook, by what upstream's end-to-end tests send them.
func TestAgnhostWebhook(t *testing.T) {
	for _, c := range []struct {
		path, operation, object string
		refusal, patch          string
		takes                   time.Duration
	}{
		{"/always-allow-delay-5s", "CREATE", `{}`, "", "", 5 * time.Second},
		{"/always-deny", "CREATE", `{}`, "this webhook denies all requests", "", 0},
		{"/add-label", "CREATE", `{}`, "", `[{"op":"add","path":"/metadata/labels","value":{"added-label":"yes"}}]`, 0},
		{"/add-label", "CREATE", `{"metadata":{"labels":{"added-label":"yes"}}}`, "", "", 0},
		{"/pods", "CREATE", `{"metadata":{"labels":{"webhook-e2e-test":"webhook-disallow"}},"spec":{"containers":[{"name":"webhook-disallow"}]}}`,
			"the pod contains unwanted label; the pod contains unwanted container name;", "", 0},
		{"/pods", "CREATE", `{"metadata":{"labels":{"webhook-e2e-test":"wait-forever"}}}`, "the pod response should not be sent;", "", 24 * time.Hour},
		{"/pods/attach", "CONNECT", `{"stdin":true,"container":"container1"}`, "attaching to pod 'to-be-attached-pod' is not allowed", "", 0},
		{"/pods/attach", "CONNECT", `{"stdin":true,"container":"other"}`, "", "", 0},
		{"/mutating-pods", "CREATE", `{"metadata":{"name":"other"}}`, "", "", 0},
		{"/mutating-pods-sidecar", "CREATE", `{"spec":{"containers":[{"name":"webhook-added-sidecar"}]}}`, "", "", 0},
		{"/mutating-pods-sidecar", "CREATE", `{}`, "", `[{"op":"add","path":"/spec/containers/-","value":{"image":"side","name":"webhook-added-sidecar","resources":{}}}]`, 0},
		{"/configmaps", "CREATE", `{"data":{"webhook-e2e-test":"webhook-disallow"}}`, "the configmap contains unwanted key and value", "", 0},
		{"/configmaps", "DELETE", `{"data":{"webhook-e2e-test":"webhook-disallow"}}`, "", "", 0},
		{"/custom-resource", "DELETE", `{"data":{"webhook-e2e-test":"webhook-nondeletable","n":1}}`,
			"the custom resource cannot be deleted because it contains unwanted key and value", "", 0},
		{"/mutating-custom-resource", "CREATE", `{"data":{"mutation-start":"yes"}}`, "", `[{"op":"add","path":"/data/mutation-stage-1","value":"yes"}]`, 0},
		{"/crd", "CREATE", `{"metadata":{"labels":{"webhook-e2e-test":"webhook-disallow"}}}`, "the crd contains unwanted label", "", 0},
	} {
		p := NewProgram("registry.k8s.io/e2e-test-images/agnhost:2.63.0", nil, []string{"webhook", "--port=8444", "--sidecar-image=side"})
		field := "object"
		if c.operation == "DELETE" {
			field = "oldObject"
		}
		body := `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","name":"to-be-attached-pod","operation":"` + c.operation +
			`","` + field + `":` + c.object + `}}`
		code, answer := p.Admission.review(c.path, body)
		var out struct {
			Response struct {
				Allowed bool
				Patch   []byte
				Status  struct{ Message, Reason string }
			}
		}
		if err := json.Unmarshal([]byte(answer), &out); err != nil || code != 200 {
			t.Fatalf("%s: %d %s %v", c.path, code, answer, err)
		}
		r := out.Response
		if r.Allowed != (c.refusal == "") || !r.Allowed && r.Status.Message+r.Status.Reason != c.refusal || string(r.Patch) != c.patch ||
			p.Admission.delay(c.path, body) != c.takes {
			t.Errorf("%s %s: %s after %s", c.path, c.object, answer, p.Admission.delay(c.path, body))
		}
	}
	p := NewProgram("agnhost", nil, []string{"webhook"})
	if code, _ := p.Admission.review("/nowhere", `{"kind":"AdmissionReview","request":{}}`); code != 404 {
		t.Errorf("an unknown path is answered with %d", code)
	}
	if code, _ := p.Admission.review("/pods", `{`); code != 400 {
		t.Errorf("something else is answered with %d", code)
	}
}
