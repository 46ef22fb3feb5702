package apiserver

import (
	"fmt"
	"strings"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// TestSizes: the four bounds of what is sent and stored, each in the words of who has it.
func TestSizes(t *testing.T) {
	big := func(bytes int) string { return strings.Repeat("x", bytes) }
	env := make([]string, 20)
	for i := range env {
		env[i] = fmt.Sprintf(`{"name":"E%d","value":%q}`, i, big(100<<10))
	}
	pod := func(env []string) string {
		return `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"nginx","env":[` + strings.Join(env, ",") + `]}]}}`
	}
	for _, c := range []struct{ name, resource, body, want string }{
		{"data", "configmaps", `{"metadata":{"name":"a"},"data":{"k":"` + big(1<<20) + `"}}`, ""},
		{"too much data", "configmaps", `{"metadata":{"name":"a"},"data":{"k":"` + big(2<<20) + `"}}`,
			`ConfigMap "a" is invalid: []: Too long: may not be more than 1048576 bytes`},
		{"a Secret's", "secrets", `{"metadata":{"name":"a"},"stringData":{"k":"` + big(1<<20+1) + `"}}`,
			`Secret "a" is invalid: data: Too long: may not be more than 1048576 bytes`},
		{"annotations", "configmaps", `{"metadata":{"name":"a","annotations":{"k":"` + big(256<<10) + `"}}}`,
			`ConfigMap "a" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes`},
		{"a request", "configmaps", `{"metadata":{"name":"a"},"data":{"k":"` + big(3<<20) + `"}}`, "Request entity too large: limit is 3145728"},
		{"what etcd takes", "pods", pod(env[:14]), ""},
		{"more than etcd takes", "pods", pod(env), "etcdserver: request is too large"},
	} {
		w := newWorld(t, trace.Off)
		w.run(func(p *sim.Proc) {
			_, err := w.do(p, &client.Request{Verb: client.Create, Resource: api.Resolve(c.resource).GroupVersionResource(), Namespace: "default", Body: []byte(c.body)})
			if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
				t.Errorf("%s: got %.200v, want %s", c.name, err, c.want)
			}
		})
	}
	w := newWorld(t, trace.Off)
	w.run(func(p *sim.Proc) {
		w.must(p, &client.Request{Verb: client.Create, Resource: api.Resolve("cm").GroupVersionResource(), Namespace: "default",
			Body: []byte(`{"metadata":{"name":"a"},"data":{"a":"` + big(1000) + `"}}`)})
		copies := make([]string, 4000)
		for i := range copies {
			copies[i] = fmt.Sprintf(`{"op":"copy","from":"/data/a","path":"/data/b%d"}`, i)
		}
		_, err := w.do(p, &client.Request{Verb: client.Patch, Resource: api.Resolve("cm").GroupVersionResource(), Namespace: "default", Name: "a",
			PatchType: types.JSONPatchType, Patch: []byte("[" + strings.Join(copies, ",") + "]")})
		if err == nil || err.Error() != "the server rejected our request due to an error in our request" {
			t.Errorf("a patch that copies much: %.200v", err)
		}
	})
}
