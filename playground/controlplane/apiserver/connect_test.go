package apiserver

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

const anyConnection = `{"apiGroups":[""],"apiVersions":["v1"],"operations":["CONNECT"],"resources":["pods/exec","pods/attach","pods/portforward","services/proxy"]}`

func opens(verb, resource, subresource, name string, exec *client.ExecOptions) *client.Request {
	r := &client.Request{Verb: verb, Resource: podsResource, Subresource: subresource, Namespace: "default", Name: name, Exec: exec}
	r.Resource.Resource = resource
	return r
}

// Webhooks are asked about connections, with their options as the object, before anybody looks for the Pod.
// Upstream: apiserver/pkg/endpoints/handlers/rest.go, ConnectResource.
func TestWebhooksOfConnections(t *testing.T) {
	h := &hooks{answers: map[string]func(map[string]any) (string, string){"see": allows, "deny": func(r map[string]any) (string, string) {
		if r["subResource"] == "attach" {
			return "", "attaching to pod 'a' is not allowed"
		}
		return "", ""
	}}}
	w := hooked(t, h)
	w.run(func(p *sim.Proc) {
		w.must(p, post("mutatingwebhookconfigurations", `{"metadata":{"name":"a"},"webhooks":[`+webhookOf("see", anyConnection, "")+`]}`))
		w.must(p, post("validatingwebhookconfigurations", `{"metadata":{"name":"a"},"webhooks":[`+webhookOf("deny", anyConnection, "")+`]}`))
		exec := &client.ExecOptions{Container: "web", Command: []string{"ls", "/"}, Stdout: true, Stderr: true}
		if _, err := w.do(p, opens(client.Create, "pods", "exec", "nobody", exec)); fmt.Sprint(err) != `pods "nobody" not found` {
			t.Errorf("%v", err)
		}
		if got, want := h.last["object"], (map[string]any{"kind": "PodExecOptions", "apiVersion": "v1", "stdout": true, "stderr": true, "container": "web",
			"command": []any{"ls", "/"}}); !reflect.DeepEqual(got, want) {
			t.Errorf("%v", got)
		}
		if h.last["options"] != nil || h.last["oldObject"] != nil || fmt.Sprint(h.last["kind"]) != "map[group: kind:PodExecOptions version:v1]" ||
			fmt.Sprintf("%v %v", h.last["resource"], h.last["subResource"]) != "map[group: resource:pods version:v1] exec" {
			t.Errorf("%v", h.last)
		}
		_, err := w.do(p, opens(client.Create, "pods", "attach", "a", exec))
		if fmt.Sprint(err) != `admission webhook "deny.example.com" denied the request: attaching to pod 'a' is not allowed` {
			t.Errorf("%v", err)
		}
		w.must(p, opens(client.Create, "pods", "portforward", "a", nil))
		w.must(p, opens(client.Get, "services", "proxy", "hook", nil))
		if fmt.Sprint(h.last["object"]) != "map[apiVersion:v1 kind:ServiceProxyOptions]" {
			t.Errorf("%v", h.last["object"])
		}
	})
	if want := []string{"see CONNECT nobody", "deny CONNECT nobody", "see CONNECT a", "deny CONNECT a", "see CONNECT a", "deny CONNECT a",
		"see CONNECT hook", "deny CONNECT hook"}; !slices.Equal(h.asked, want) {
		t.Errorf("%q", h.asked)
	}
}

// Policies are asked, too; the server's other plugins are not.
func TestPoliciesOfConnections(t *testing.T) {
	w := celWorld(t)
	w.run(func(p *sim.Proc) {
		w.must(p, post("validatingadmissionpolicies", `{"metadata":{"name":"a"},"spec":{"matchConstraints":{"resourceRules":[`+anyConnection+`]},
			"validations":[{"expression":"request.operation == 'CONNECT' && object.command[0] != 'rm'","message":"not that"}]}}`))
		w.must(p, post("validatingadmissionpolicybindings", `{"metadata":{"name":"a"},"spec":{"policyName":"a","validationActions":["Deny"]}}`))
		_, err := w.do(p, opens(client.Create, "pods", "exec", "a", &client.ExecOptions{Command: []string{"rm"}}))
		if fmt.Sprint(err) != `pods "a" is forbidden: ValidatingAdmissionPolicy 'a' with binding 'a' denied request: not that` {
			t.Errorf("%v", err)
		}
		if _, err := w.do(p, opens(client.Create, "pods", "exec", "a", &client.ExecOptions{Command: []string{"ls"}})); fmt.Sprint(err) != `pods "a" not found` {
			t.Errorf("%v", err)
		}
	})
}
