package apiserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// mutatingPolicyText is a policy with its mutations, each "apply EXPRESSION" or "json EXPRESSION".
func mutatingPolicyText(name, more string, mutations ...string) string {
	var all []string
	for _, m := range mutations {
		how, text, _ := strings.Cut(m, " ")
		expression, _ := json.Marshal(text)
		if how == "apply" {
			all = append(all, fmt.Sprintf(`{"patchType":"ApplyConfiguration","applyConfiguration":{"expression":%s}}`, expression))
		} else {
			all = append(all, fmt.Sprintf(`{"patchType":"JSONPatch","jsonPatch":{"expression":%s}}`, expression))
		}
	}
	return fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"reinvocationPolicy":"Never",`+deployments+`%s,"mutations":[%s]}}`, name, more, strings.Join(all, ","))
}

func mutatingBinding(name, policy, more string) *client.Request {
	return post("mutatingadmissionpolicybindings", fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"policyName":%q%s}}`, name, policy, more))
}

func TestMutatingAdmissionPolicy(t *testing.T) {
	by := `policy 'p' with binding 'b' denied request: `
	for _, c := range []struct {
		name, more string
		mutations  []string
		binding    string
		want       string // the replicas, labels, containers with their ports; or what is wrong
	}{
		{"apply", "", []string{`apply Object{spec: Object.spec{replicas: object.spec.replicas * 2}}`}, "", "6 map[] [a]"},
		{"apply to a list with keys", "", []string{`apply Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [` +
			`Object.spec.template.spec.containers{name: "b", image: "x", ports: [Object.spec.template.spec.containers.ports{containerPort: 80}]}]}}}}`}, "", "3 map[] [a b:80]"},
		{"apply labels", "", []string{`apply Object{metadata: Object.metadata{labels: {"by": request.userInfo.username}}}`}, "", "3 map[by:tester] [a]"},
		{"apply optional fields", "", []string{`apply Object{?spec: object.spec.replicas > 9 ? optional.of(Object.spec{replicas: 1}) : optional.none()}`}, "", "3 map[] [a]"},
		{"two mutations", "", []string{`apply Object{spec: Object.spec{replicas: object.spec.replicas + 1}}`,
			`json [JSONPatch{op: "replace", path: "/spec/replicas", ` +
				`value: object.spec.replicas + 1}]`}, "", "5 map[] [a]"},
		{"patch", "", []string{`json [JSONPatch{op: "test", path: "/spec/replicas", value: 3}, JSONPatch{op: "add", path: "/metadata/labels", value: {}}, ` +
			`JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("a/b~c"), value: "x"}, JSONPatch{op: "add", path: "/spec/template/spec/containers/-", ` +
			`value: Object.spec.template.spec.containers{name: "b", image: "y"}}]`}, "", "error: metadata.labels: Invalid value: \"a/b~c\": name part must consist of alphanumeric " +
			"characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
			"'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"},
		{"patch that moves", "", []string{`json [JSONPatch{op: "add", path: "/metadata/labels", value: {"a": "x"}}, JSONPatch{op: "move", from: "/metadata/labels/a", ` +
			`path: "/metadata/labels/b"}]`}, "", "3 map[b:x] [a]"},
		{"patch whose test fails", "", []string{`json [JSONPatch{op: "replace", path: "/spec/replicas", value: 1}, JSONPatch{op: "test", path: "/spec/replicas", value: 3}]`}, "",
			"3 map[] [a]"},
		{"patch with a list of a condition", "", []string{`json has(object.spec.paused) ? [] : [JSONPatch{op: "add", path: "/metadata/labels", value: {"n": "1"}}]`}, "",
			"3 map[n:1] [a]"},
		{"variables and parameters", `,"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},"variables":[{"name":"most","expression":"int(params.data.most)"}]`,
			[]string{`apply Object{spec: Object.spec{replicas: variables.most}}`}, `,"paramRef":{"name":"limits","namespace":"default","parameterNotFoundAction":"Deny"}`,
			"2 map[] [a]"},
		{"condition", `,"matchConditions":[{"name":"big","expression":"object.spec.replicas > 100"}]`, []string{`apply Object{spec: Object.spec{replicas: 1}}`}, "", "3 map[] [a]"},
		{"namespace", "", []string{`apply Object{metadata: Object.metadata{labels: {"ns": namespaceObject.metadata.name}}}`}, "", "3 map[ns:default] [a]"},
		{"binding about others", "", []string{`apply Object{spec: Object.spec{replicas: 1}}`}, `,"matchResources":{"objectSelector":{"matchLabels":{"x":"y"}}}`, "3 map[] [a]"},

		{"condition with an error", `,"matchConditions":[{"name":"c","expression":"object.spec.nothing > 1"}]`, []string{`apply Object{}`}, "",
			by + "expression 'object.spec.nothing > 1' resulted in error: no such key: nothing"},
		{"parameter that is not there", `,"paramKind":{"apiVersion":"v1","kind":"ConfigMap"}`, []string{`apply Object{}`},
			`,"paramRef":{"name":"none","namespace":"default","parameterNotFoundAction":"Deny"}`,
			by + "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"},
		{"kind of parameters that is not there", `,"paramKind":{"apiVersion":"v1","kind":"Nothing"}`, []string{`apply Object{}`}, "",
			`policy "p" denied request: failed to configure policy: failed to find resource referenced by paramKind: '/v1, Kind=Nothing'`},
		{"error", "", []string{`apply Object{spec: Object.spec{replicas: object.spec.nothing}}`}, "",
			by + "expression 'Object{spec: Object.spec{replicas: object.spec.nothing}}' resulted in error: no such key: nothing"},
		{"error that is ignored", `ignore`, []string{`apply Object{spec: Object.spec{replicas: 4}}`, `apply Object{spec: Object.spec{replicas: object.x}}`}, "",
			"4 map[] [a]"},
		{"atomic", "", []string{`apply Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {"l": "v"}}}}`}, "",
			by + "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.selector"},
		{"type with another name", "", []string{`apply Object{spec: Object.specx{replicas: 1}}`}, "",
			by + `type mismatch: unexpected type name "Object.specx", expected "Object.spec", which matches field name path from root Object type`},
		{"unknown field", "", []string{`apply Object{spec: Object.spec{replicasx: 1}}`}, "",
			by + "error applying patch: failed to convert patch object to typed object: .spec.replicasx: field not declared in schema"},
		{"patch with an unknown field", "", []string{`json [JSONPatch{op: "add", path: "/spec/x", value: 1}]`}, "",
			`Internal error occurred: strict decoding error: unknown field "spec.x"`},
		{"patch that does not apply", "", []string{`json [JSONPatch{op: "replace", path: "/spec/template/spec/containers/-", value: {}}]`}, "",
			by + "JSON Patch: replace operation does not apply: doc is missing key: /spec/template/spec/containers/-: missing value"},
		{"patch with a type of another name", "", []string{`json [JSONPatch{op: "add", path: "/spec/template/spec", value: Object.spec.template.spec{containers: [Object.spec.x{}]}}]`}, "",
			by + `type mismatch: unexpected type name "Object.spec.x", expected "Object.spec.template.spec.containers", which matches field name path from root Object type`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := celWorld(t)
			w.run(func(p *sim.Proc) {
				w.must(p, post("configmaps", `{"metadata":{"name":"limits"},"data":{"most":"2"}}`))
				policy := mutatingPolicyText("p", strings.TrimPrefix(c.more, "ignore"), c.mutations...)
				if c.more == "ignore" {
					policy = strings.Replace(policy, `"failurePolicy":"Fail"`, `"failurePolicy":"Ignore"`, 1)
				}
				for _, r := range []*client.Request{post("mutatingadmissionpolicies", policy), mutatingBinding("b", "p", c.binding)} {
					if err := w.try(p, r); err != "" {
						t.Fatal(err)
					}
				}
				got, err := w.do(p, post("deployments", strings.Replace(deploymentText("web", 3, `{}`), `,"labels":{}`, "", 1)))
				if err != nil {
					_, after, ok := strings.Cut(err.Error(), " is invalid: ")
					if ok {
						after = "error: " + after
					} else {
						after = err.Error()
					}
					expect(t, "error", after, c.want)
					return
				}
				d := got.(*appsv1.Deployment)
				var containers []string
				for _, c := range d.Spec.Template.Spec.Containers {
					if c.ImagePullPolicy == "" || d.Spec.RevisionHistoryLimit == nil {
						t.Errorf("without defaults: %v", d.Spec)
					}
					text := c.Name
					for _, port := range c.Ports {
						text += fmt.Sprint(":", port.ContainerPort)
					}
					containers = append(containers, text)
				}
				expect(t, "deployment", fmt.Sprint(*d.Spec.Replicas, " ", d.Labels, " ", containers), c.want)
			})
		})
	}
}

// TestMutatingPoliciesRunAgain: a policy that wants to runs again after another has changed the object; policies run before webhooks, and the
// server's own plugins once more after both.
func TestMutatingPoliciesRunAgain(t *testing.T) {
	h := &hooks{answers: map[string]func(map[string]any) (string, string){"hook": func(r map[string]any) (string, string) {
		containers := r["object"].(map[string]any)["spec"].(map[string]any)["containers"].([]any)
		return fmt.Sprintf(`[{"op":"add","path":"/metadata/labels/hook","value":"%d"}]`, len(containers)), ""
	}}}
	opts := DefaultOptions()
	opts.CEL = true
	w := newWorldWith(t, trace.Off, opts)
	w.s.ConnectPods(h)
	count := func(label string) string {
		return `apply Object{metadata: Object.metadata{labels: {"` + label + `": string(int(object.metadata.labels[?"` + label + `"].orValue("0")) + 1)}}}`
	}
	pods := func(text string) string {
		return strings.Replace(text, `"apiGroups":["apps"],"apiVersions":["v1"],"resources":["deployments"]`,
			`"apiGroups":[""],"apiVersions":["v1"],"resources":["pods"]`, 1)
	}
	w.run(func(p *sim.Proc) {
		w.must(p, post("services", `{"metadata":{"name":"hook"},"spec":{"ports":[{"port":443}]}}`))
		w.must(p, post("endpointslices", `{"metadata":{"name":"hook-1","labels":{"kubernetes.io/service-name":"hook"}},"addressType":"IPv4",
			"endpoints":[{"addresses":["10.244.1.5"],"conditions":{"ready":true}}],"ports":[{"name":"","port":8443,"protocol":"TCP"}]}`))
		w.must(p, post("limits", `{"metadata":{"name":"l"},"spec":{"limits":[{"type":"Container","defaultRequest":{"cpu":"100m"}}]}}`))
		w.must(p, post("mutatingwebhookconfigurations", `{"metadata":{"name":"a"},"webhooks":[`+webhookOf("hook", anyPod, "")+`]}`))
		for _, text := range []string{
			strings.Replace(mutatingPolicyText("again", "", count("again")), `"Never"`, `"IfNeeded"`, 1), mutatingPolicyText("once", "", count("once")),
			mutatingPolicyText("sidecar", "", `apply Object{spec: Object.spec{containers: [Object.spec.containers{name: "sidecar", image: "envoy"}]}}`),
		} {
			w.must(p, post("mutatingadmissionpolicies", pods(text)))
		}
		for _, name := range []string{"again", "once", "sidecar"} {
			w.must(p, mutatingBinding(name, name, ""))
		}
		got := w.must(p, post("pods", `{"metadata":{"name":"web","labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"nginx"}]}}`)).(*corev1.Pod)
		expect(t, "labels", fmt.Sprint(got.Labels), "map[again:2 app:web hook:2 once:1]")
		for _, c := range got.Spec.Containers {
			if c.Resources.Requests.Cpu().String() != "100m" {
				t.Errorf("container %s has no defaults: %v", c.Name, c.Resources)
			}
		}
	})
	if want := []string{"hook CREATE web"}; !slices.Equal(h.asked, want) {
		t.Errorf("%q", h.asked)
	}
}

func TestMutatingPolicyOfACustomKind(t *testing.T) {
	w := celWorld(t)
	w.run(func(p *sim.Proc) {
		w.must(p, post("crd", fmt.Sprintf(widget, `{"type":"object","properties":{"spec":{"type":"object","properties":{"size":{"type":"integer"},"color":{"type":"string","default":"red"},
			"tags":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}}}}}`)))
		p.Sleep(time.Second)
		text := strings.Replace(mutatingPolicyText("p", "", `apply Object{spec: Object.spec{size: 7, tags: ["b"]}}`), `"apiGroups":["apps"],"apiVersions":["v1"],"resources":["deployments"]`,
			`"apiGroups":["example.com"],"apiVersions":["*"],"resources":["widgets"]`, 1)
		w.must(p, post("mutatingadmissionpolicies", text))
		w.must(p, mutatingBinding("b", "p", ""))
		got := w.must(p, &client.Request{Verb: client.Create, Resource: widgets, Namespace: "default",
			Body: []byte(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"tags":["a"]}}`)}).(*api.Unstructured)
		spec, _ := json.Marshal(got.Fields["spec"])
		expect(t, "spec", string(spec), `{"color":"red","size":7,"tags":["a","b"]}`)
	})
}

func TestMutatingPoliciesThatAreRefused(t *testing.T) {
	for _, c := range []struct{ policy, want string }{
		{mutatingPolicyText("p", "", `apply "I'm a teapot!"`),
			`spec.mutations[0].applyConfiguration.expression: Invalid value: "\"I'm a teapot!\"": must evaluate to Object but got string`},
		{mutatingPolicyText("p", "", `apply Object.spec.metadata{}`),
			`spec.mutations[0].applyConfiguration.expression: Invalid value: "Object.spec.metadata{}": must evaluate to Object but got Object.spec.metadata`},
		{mutatingPolicyText("p", "", `json JSONPatch{op: "add"}`),
			`spec.mutations[0].jsonPatch.expression: Invalid value: "JSONPatch{op: \"add\"}": must evaluate to list(JSONPatch) but got JSONPatch`},
		{mutatingPolicyText("p", "", `json [JSONPatch{op: 1}]`), `spec.mutations[0].jsonPatch.expression: Invalid value: "[JSONPatch{op: 1}]": compilation failed: ` +
			"ERROR: <input>:1:14: expected type of field 'op' is 'string' but provided type is 'int'\n | [JSONPatch{op: 1}]\n | .............^"},
		{mutatingPolicyText("p", `,"variables":[{"name":"v","expression":"Object{}"}]`, `apply Object{}`),
			`spec.variables[0].expression: Invalid value: "Object{}": compilation failed: ` +
				"ERROR: <input>:1:7: undeclared reference to 'Object' (in container '')\n | Object{}\n | ......^"},
		{strings.Replace(mutatingPolicyText("p", "", `apply Object{}`), `"UPDATE"`, `"DELETE"`, 1),
			`spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"`},
		{strings.Replace(mutatingPolicyText("p", "", `apply Object{}`), `"reinvocationPolicy":"Never",`, "", 1), `spec.reinvocationPolicy: Required value`},
		{strings.Replace(mutatingPolicyText("p", "", `apply Object{}`), `"patchType":"ApplyConfiguration"`, `"patchType":"JSONPatch"`, 1),
			`[spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch, spec.mutations[0].applyConfiguration: Invalid value: ` +
				`"{applyConfiguration}": must not be specified when patchType is JSONPatch]`},
		{mutatingPolicyText("p", ""), `spec.mutations: Required value: mutations must contain at least one item`},
	} {
		w := celWorld(t)
		w.run(func(p *sim.Proc) { expect(t, c.policy, w.try(p, post("mutatingadmissionpolicies", c.policy)), c.want) })
	}
	w := newWorld(t, trace.Off)
	w.run(func(p *sim.Proc) {
		w.must(p, post("mutatingadmissionpolicies", mutatingPolicyText("p", "", `apply Object{}`)))
		expect(t, "without CEL", w.try(p, mutatingBinding("b", "p", "")), "spec.policyName: Forbidden: "+noCEL)
	})
}
