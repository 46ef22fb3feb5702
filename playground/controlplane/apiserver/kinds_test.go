package apiserver

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/apiregistrationv1"
	"kubewalk/playground/controlplane/apiserver/registry"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// ownHandlers are the subresources that are no view of their object: they have handlers instead of strategies.
var ownHandlers = []string{"attach", "portforward", "binding", "eviction", "exec", "log", "scale", "token"}

// Every kind that is served has a strategy, or was judged to need none. api/schema_test.go holds the kinds to the recorded
// schemas.
func TestEveryKindHasAStrategy(t *testing.T) {
	for _, k := range api.AllKinds() {
		if k.Resource == "" || k.NewList == nil {
			continue
		}
		path := k.Group + "/" + k.Resource
		if !registry.Known(path) {
			t.Errorf("%s has no strategy: register one, or say in plainIsRight why the plain one is right", path)
		}
		for _, sub := range k.Subresources {
			if !strings.Contains(strings.Join(ownHandlers, " "), sub.Name) && !registry.Known(path+"/"+sub.Name) {
				t.Errorf("%s/%s has no strategy: register one, or say in plainIsRight why the plain one is right", path, sub.Name)
			}
		}
	}
}

// Every kind can be listed and watched, and knows its own objects.
func TestEveryKindIsServed(t *testing.T) {
	w := newWorldWith(t, trace.Off, withAllKinds())
	w.run(func(p *sim.Proc) {
		for _, k := range api.AllKinds() {
			if k.Resource == "" || k.NewList == nil {
				continue
			}
			list := w.must(p, &client.Request{Verb: client.List, Resource: k.GroupVersionResource()})
			if got := list.GetObjectKind().Kind; got != k.Kind+"List" {
				t.Errorf("%s: list is a %s", k.Resource, got)
			}
		}
	})
}

// Groups that have only reviews, which nobody stores, have no APIService here.
func TestAPIServices(t *testing.T) {
	w := newWorldWith(t, trace.Off, withAllKinds())
	w.run(func(p *sim.Proc) {
		gvr := api.Resolve("apiservices").GroupVersionResource()
		list := w.must(p, &client.Request{Verb: client.List, Resource: gvr}).(*apiregistrationv1.APIServiceList)
		has := map[string]bool{}
		for i := range list.Items {
			has[list.Items[i].Name] = list.Items[i].Status.Conditions[0].Reason == "Local"
		}
		for _, k := range api.AllKinds() {
			if k.Resource != "" && k.NewList != nil && !has[k.Version+"."+k.Group] && k.Group != "apiregistration.k8s.io" {
				t.Errorf("%s is served and has no APIService", k.GroupVersion())
			}
		}
	})
}

func TestExtensionKinds(t *testing.T) {
	crd := func(name, spec string) string {
		return `{"metadata":{"name":"` + name + `"},"spec":` + spec + `}`
	}
	version := `{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":%s}}`
	spec := func(schema string) string {
		return `{"group":"example.com","scope":"Namespaced","names":{"plural":"foos","kind":"Foo"},"versions":[` + fmt.Sprintf(version, schema) + `]}`
	}
	hook := func(more string) string {
		return `{"metadata":{"name":"h"},"webhooks":[{"name":"a.example.com","admissionReviewVersions":["v1"],"sideEffects":"None","clientConfig":{"url":"https://example.com"}` + more + `}]}`
	}
	at := "spec.versions[0].schema.openAPIV3Schema."
	for _, c := range []struct{ resource, body, want string }{
		{"roles", `{"metadata":{"name":"r"},"rules":[{"verbs":[],"apiGroups":[""],"resources":["pods"]}]}`,
			`rules[0].verbs: Required value: verbs must contain at least one value`},
		{"roles", `{"metadata":{"name":"r"},"rules":[{"verbs":["get"],"nonResourceURLs":["/x"]}]}`,
			`rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs`},
		{"roles", `{"metadata":{"name":"a/b"},"rules":[{"verbs":["get"]}]}`,
			"[metadata.name: Invalid value: \"a/b\": may not contain '/', rules[0].apiGroups: Required value: resource rules must supply at least one api group, rules[0].resources: Required value: resource rules must supply at least one resource]"},
		{"clusterroles", `{"metadata":{"name":"system:reader"},"rules":[{"verbs":["get"],"nonResourceURLs":["/healthz"]}]}`, ""},
		{"clusterroles", `{"metadata":{"name":"r"},"rules":null,"aggregationRule":{}}`,
			`aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil`},
		{"rolebindings", `{"metadata":{"name":"b"},"roleRef":{"kind":"Role","name":"r"},"subjects":[{"kind":"User","name":"jane"}]}`, ""},
		{"rolebindings", `{"metadata":{"name":"c"},"roleRef":{"apiGroup":"x","kind":"Rule","name":""},"subjects":[{"kind":"Robot","name":"a"}]}`,
			`[roleRef.apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io", roleRef.kind: Unsupported value: "Rule": supported values: "Role", "ClusterRole", roleRef.name: Required value, subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"]`},
		{"clusterrolebindings", `{"metadata":{"name":"c"},"roleRef":{"kind":"ClusterRole","name":"r"},"subjects":[{"kind":"ServiceAccount","name":"a"}]}`,
			`subjects[0].namespace: Required value`},
		{"apiservices", `{"metadata":{"name":"x"},"spec":{"group":"example.com","version":"v1","groupPriorityMinimum":0,"versionPriority":5}}`,
			"[metadata.name: Invalid value: \"x\": must be `spec.version+\".\"+spec.group`: \"v1.example.com\", spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000]"},
		{"crd", crd("foos.example.com", spec(`{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}`)), ""},
		{"crd", crd("bars.example.com", spec(`{"type":"object"}`)), `metadata.name: Invalid value: "bars.example.com": must be spec.names.plural+"."+spec.group`},
		{"crd", crd("foos.example.com", spec(`{"properties":{"a":{"type":"array"},"b":{}}}`)),
			`[` + at + `type: Required value: must not be empty at the root, ` + at + `properties[a].items: Required value: must be specified, ` + at +
				`properties[b].type: Required value: must not be empty for specified object fields]`},
		{"crd", crd("foos.example.com", spec(`{"type":"object","properties":{"a":{"$ref":"x","type":"text"}}}`)),
			`[` + at + `properties[a].$ref: Forbidden: $ref is not supported, ` + at +
				`properties[a].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"]`},
		{"crd", crd("foos.k8s.io", strings.Replace(spec(`{"type":"object"}`), "example.com", "k8s.io", 1)),
			`metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111`},
		{"validatingwebhookconfigurations", hook(``), ""},
		{"validatingwebhookconfigurations",
			hook(`,"rules":[{"operations":["*","CREATE"],"apiGroups":[""],"apiVersions":["v1"],"resources":["*","pods"]}],"timeoutSeconds":60`),
			`[webhooks[0].rules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations, webhooks[0].rules[0].resources: Invalid value: ["*","pods"]: if '*' is present, must not specify other resources without subresources, webhooks[0].timeoutSeconds: Invalid value: 60: the timeout value must be between 1 and 30 seconds]`},
		{"mutatingwebhookconfigurations",
			`{"metadata":{"name":"h"},"webhooks":[{"name":"short","admissionReviewVersions":["v2"],"sideEffects":null,"clientConfig":{"url":"http://x"}}]}`,
			`[webhooks[0].name: Invalid value: "short": should be a domain with at least three segments separated by dots, webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun, webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path], webhooks[0].admissionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1]`},
		{"mutatingwebhookconfigurations",
			`{"metadata":{"name":"h"},"webhooks":[{"name":"a.example.com","admissionReviewVersions":["v1"],"sideEffects":"None","clientConfig":{"service":{"name":"s","namespace":"n","path":""}}}]}`, ""},
		{"mutatingwebhookconfigurations",
			`{"metadata":{"name":"k"},"webhooks":[{"name":"a.example.com","admissionReviewVersions":["v1"],"sideEffects":"None","clientConfig":{"service":{"name":"","namespace":"n","path":"a//b/"}}}]}`,
			`[webhooks[0].clientConfig.service.name: Required value, webhooks[0].clientConfig.service.path: Invalid value: "a//b/": must start with a '/', webhooks[0].clientConfig.service.path: Invalid value: "a//b/": segment[0] may not be empty, webhooks[0].clientConfig.service.path: Invalid value: "a//b/": segment[1] may not be empty]`},
		{"validatingadmissionpolicies",
			`{"metadata":{"name":"p"},"spec":{"matchConstraints":{"resourceRules":[{"operations":["CREATE"],"apiGroups":["apps"],"apiVersions":["v1"],"resources":["deployments"]}]},"validations":[{"expression":"true"}]}}`, ""},
		{"validatingadmissionpolicies", `{"metadata":{"name":"q"},"spec":{"validations":[{"expression":" "}]}}`,
			`[spec.matchConstraints: Required value, spec.validations[0].expression: Required value: expression is not specified]`},
		{"validatingadmissionpolicybindings", `{"metadata":{"name":"p"},"spec":{"policyName":"p","validationActions":["Deny","Warn"]}}`,
			`spec.validationActions: Invalid value: ["Deny","Warn"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)`},
		{"validatingadmissionpolicybindings", `{"metadata":{"name":"p"},"spec":{"policyName":"p","validationActions":["Deny"]}}`,
			`spec.policyName: Forbidden: ` + noCEL},
		{"validatingwebhookconfigurations", hook(`,"matchConditions":[{"name":"a","expression":"true"}]`),
			`webhooks[0].matchConditions: Forbidden: ` + noCEL},
		{"crd", crd("foos.example.com", spec(`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","x-kubernetes-validations":[{"rule":"true"}]}}}}`)),
			at + `properties[a].items.x-kubernetes-validations: Forbidden: ` + noCEL},
	} {
		w := newWorld(t, trace.Off)
		w.run(func(p *sim.Proc) {
			_, err := w.do(p, post(c.resource, c.body))
			_, after, _ := strings.Cut(fmt.Sprint(err), " is invalid: ")
			if after != c.want || c.want == "" && err != nil {
				t.Errorf("%s %s\ngot  %v\nwant %s", c.resource, c.body, err, c.want)
			}
		})
	}
}

func TestDefinitionsAreEstablished(t *testing.T) {
	w := newWorld(t, trace.Off)
	gvr := api.Resolve("crd").GroupVersionResource()
	condition := func(name string) string {
		crd := w.st.Current(store.Key{Resource: gvr.Resource, Name: name}).(*apiextensionsv1.CustomResourceDefinition)
		var out []string
		for _, c := range crd.Status.Conditions {
			out = append(out, fmt.Sprint(c.Type, "=", c.Status, " ", c.Reason))
		}
		return strings.Join(out, ", ")
	}
	body := `{"metadata":{"name":"%[1]s.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"%[1]s","kind":"%[2]s"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`
	w.run(func(p *sim.Proc) {
		got := w.must(p, post("crd", fmt.Sprintf(body, "foos", "Foo"))).(*apiextensionsv1.CustomResourceDefinition)
		if got.Spec.Names.ListKind != "FooList" || got.Spec.Names.Singular != "foo" || got.Status.StoredVersions[0] != "v1" || len(got.Status.Conditions) != 0 {
			t.Errorf("%+v", got)
		}
		p.Sleep(time.Second)
		expect(t, "foos", condition("foos.example.com"), "NamesAccepted=True NoConflicts, Established=True InitialNamesAccepted")
		w.must(p, post("crd", fmt.Sprintf(body, "others", "Foo")))
		p.Sleep(time.Second)
		expect(t, "others", condition("others.example.com"), "NamesAccepted=False ListKindConflict, Established=False NotAccepted")
		// What is established keeps its scope and kind.
		_, err := w.do(p, &client.Request{Verb: client.Patch, Resource: gvr, Name: "foos.example.com", PatchType: "application/merge-patch+json",
			Patch: []byte(`{"spec":{"scope":"Cluster"}}`)})
		if err == nil || !strings.Contains(err.Error(), `spec.scope: Invalid value: "Cluster": field is immutable`) {
			t.Errorf("%v", err)
		}
	})
}
