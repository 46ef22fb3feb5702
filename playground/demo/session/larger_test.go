//go:build js && !cel

package session

import (
	"fmt"
	"strings"
	"testing"
)

// TestNeedsTheLargerBuild: this is the smaller one of the browser's builds, and says what the other one does instead.
func TestNeedsTheLargerBuild(t *testing.T) {
	b := &Bridge{}
	for line, needs := range map[string]bool{ // order: each by itself
		"get pods":                                false,
		"get pods -o jsonpath={.items}":           false,
		"get pods -o go-template={{.kind}}":       true,
		"get pods --template={{.kind}}":           true,
		"get pods -o jsonpath --template={.kind}": false,
		"apply -k base":                           true,
		"kustomize":                               true,
		"explain pod":                             true,
		"explain deploy.spec":                     true,
		"explain website":                         true,
		"explain website.spec":                    false,
		"config view":                             true,
		"get pods -o kyaml":                       true,
		"diff -f x":                               true,
		"create secret tls x":                     true,
		"create secret generic x":                 false,
		"config nonsense":                         false,
		"get nonsense --what":                     false,
		"get runtimeclasses":                      true,
		"get pods,csr":                            true,
		"get hpa":                                 false,
		"get hpa.v1.autoscaling":                  true,
		"get --raw /apis/node.k8s.io/v1":          true,
	} {
		if answer := string(b.Call("parse", fmt.Appendf(nil, `{"line":%q}`, line))); strings.Contains(answer, `"larger":true`) != needs {
			t.Errorf("%s: %s", line, answer)
		}
	}
	for _, schema := range []string{`{"type":"string","pattern":"^a"}`, `{"type":"string","format":"uuid"}`,
		`{"type":"string","x-kubernetes-validations":[]}`, `{"type":"string","format":"date-time"}`} {
		manifest := `{"kind":"CustomResourceDefinition","spec":{"versions":[{"schema":{"openAPIV3Schema":` + schema + `}}]}}`
		answer := string(b.Call("parse", fmt.Appendf(nil, `{"line":"apply -f x","manifests":{"x":%s}}`, manifest)))
		if needs := !strings.Contains(schema, "date"); strings.Contains(answer, "wrong") || strings.Contains(answer, `"larger":true`) != needs {
			t.Errorf("%s: %s", schema, answer)
		}
	}
	for manifest, needs := range map[string]bool{ // order: each by itself
		`{"apiVersion":"node.k8s.io/v1","kind":"RuntimeClass"}`:                                    true,
		`{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler"}`:                         true,
		`{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler"}`:                         false,
		`{"apiVersion":"v1","kind":"Pod","spec":{"resourceClaims":[{"resourceClaimName":"gpu"}]}}`: true,
		`{"apiVersion":"v1","kind":"Pod","spec":{"runtimeClassName":"none"}}`:                      false,
	} {
		answer := string(b.Call("parse", fmt.Appendf(nil, `{"line":"apply -f x","manifests":{"x":%s}}`, manifest)))
		if strings.Contains(answer, "wrong") || strings.Contains(answer, `"larger":true`) != needs {
			t.Errorf("%s: %s", manifest, answer)
		}
	}
	input := `{"at":1000000000,"kind":"kubectl","args":["get","pods","-o","go-template={{.kind}}"]}`
	open := `{"world":1,"scenario":{"name":"x","seed":1,"cluster":{},"steps":[%s]},"layout":"wide","inputs":[%s]}`
	for _, call := range [][2]string{{"open", fmt.Sprintf(open, "", input)}, {"open", fmt.Sprintf(open, input, "")}, {"open", fmt.Sprintf(open, "", "")},
		{"give", `{"world":1,"input":` + input + `}`}} {
		answer := string(b.Call(call[0], []byte(call[1])))
		if needs := strings.Contains(call[1], "go-template"); strings.Contains(answer, "error") || strings.Contains(answer, `"larger":true`) != needs {
			t.Errorf("%s: %s", call[0], answer)
		}
	}
}
