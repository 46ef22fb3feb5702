package v1

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	webv1 "example.com/website/api/v1"
)

func website(host, image string) *webv1.Website {
	w := &webv1.Website{}
	w.Name, w.Spec.Host, w.Spec.Image = "blog", host, image
	return w
}

// request is what an API server sends, with both objects as JSON.
func request(t *testing.T, before, now *webv1.Website) admission.Request {
	t.Helper()
	raw := func(w *webv1.Website) (out runtime.RawExtension) {
		if w != nil {
			text, err := json.Marshal(w)
			if err != nil {
				t.Fatal(err)
			}
			out.Raw = text
		}
		return out
	}
	operation := admissionv1.Create
	if before != nil {
		operation = admissionv1.Update
	}
	return admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{Operation: operation, Object: raw(now), OldObject: raw(before)}}
}

func scheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	s := runtime.NewScheme()
	if err := webv1.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDefault(t *testing.T) {
	hook := admission.WithDefaulter(scheme(t), &WebsiteDefaulter{})
	for _, test := range []struct{ host, want string }{{"", "blog.example.com"}, {"other.example.com", ""}} {
		answer := hook.Handle(context.Background(), request(t, nil, website(test.host, "nginx:1.27")))
		got := ""
		for _, patch := range answer.Patches {
			if patch.Path == "/spec/host" {
				got, _ = patch.Value.(string)
			}
		}
		if !answer.Allowed || got != test.want {
			t.Errorf("host %q: allowed %t, patched to %q, want %q", test.host, answer.Allowed, got, test.want)
		}
	}
}

func TestValidate(t *testing.T) {
	hook := admission.WithValidator(scheme(t), &WebsiteValidator{})
	old := website("blog.example.com", "nginx:1.27")
	for _, test := range []struct {
		name        string
		before, now *webv1.Website
		allowed     bool
		warnings    int
	}{
		{"new", nil, old, true, 0},
		{"without a tag", nil, website("blog.example.com", "nginx"), true, 1},
		{"another image", old, website("blog.example.com", "nginx:1.28"), true, 0},
		{"another host", old, website("other.example.com", "nginx:1.27"), false, 0},
	} {
		answer := hook.Handle(context.Background(), request(t, test.before, test.now))
		if answer.Allowed != test.allowed || len(answer.Warnings) != test.warnings {
			t.Errorf("%s: allowed %t with %d warnings, want %t with %d", test.name, answer.Allowed, len(answer.Warnings), test.allowed, test.warnings)
		}
		if !test.allowed && (answer.Result == nil || answer.Result.Code != http.StatusForbidden) {
			t.Errorf("%s: the answer is %v", test.name, answer.Result)
		}
	}
}
