package cri

import (
	"encoding/json"
	"fmt"
	"testing"
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
		code, body := p.Admission.review(reviewOf(c.labels, c.image))
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
	if code, _ := new(admissionRules).review(`{"kind":"Pod"}`); code != 400 {
		t.Errorf("something else is answered with %d", code)
	}
	// A deletion has no object: nothing to say against it.
	if _, body := NewProgram("kubewalk.dev/app", nil, []string{"--require-label=team"}).Admission.review(
		`{"kind":"AdmissionReview","request":{"uid":"u","operation":"DELETE"}}`); body != `{"apiVersion":"","kind":"AdmissionReview","response":{"allowed":true,"uid":"u"}}` {
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
		(&admissionRules{deniedImages: []string{pattern}, defaultLabels: [][2]string{{"a", "b"}}}).review(body)
	})
}
