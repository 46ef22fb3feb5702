package apiserver

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	_ "kubewalk/playground/controlplane/apiserver/cel/evaluator"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

const noCEL = "expressions in CEL are not evaluated in this cluster (they are in demos about them, and in the cluster that `kubewalk cluster` starts)"

func celWorld(t *testing.T) *world {
	opts := DefaultOptions()
	opts.CEL = true
	return newWorldWith(t, trace.Off, opts)
}

// try sends a request, and gives back what is wrong: the text after "is invalid: ", or all of it.
func (w *world) try(p *sim.Proc, r *client.Request) string {
	_, err := w.do(p, r)
	if err == nil {
		return ""
	}
	if _, after, ok := strings.Cut(err.Error(), " is invalid: "); ok && apierrors.IsInvalid(err) {
		return after
	}
	return err.Error()
}

const widget = `{"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},
	"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":%s}}]}}`

var widgets = api.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}

func TestRulesOfADefinition(t *testing.T) {
	w := celWorld(t)
	schema := `{"type":"object","x-kubernetes-validations":[{"rule":"self.metadata.name.startsWith('w')"}],"properties":{"spec":{"type":"object",
		"x-kubernetes-validations":[
			{"rule":"self.min <= self.max","messageExpression":"'min %d is more than max %d'.format([self.min, self.max])","fieldPath":".min"},
			{"rule":"!has(self.size) || quantity(self.size).isLessThan(quantity('1Gi'))","message":"too large","reason":"FieldValueForbidden"},
			{"rule":"self.max / self.min < 100"},
			{"rule":"!oldSelf.hasValue() || self.max >= oldSelf.value().max","optionalOldSelf":true,"message":"may only grow"}],
		"required":["min","max"],
		"properties":{"min":{"type":"integer"},"max":{"type":"integer"},"size":{"type":"string","maxLength":20},
			"color":{"type":"string","x-kubernetes-validations":[{"rule":"self == oldSelf","message":"color is immutable"}]},
			"ports":{"type":"array","maxItems":5,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
				"items":{"type":"object","required":["name"],"properties":{"name":{"type":"string","maxLength":10},
					"port":{"type":"integer","x-kubernetes-validations":[{"rule":"self > 0 && self < 65536"}]}}}}}}}}`
	body := func(spec string) string {
		return `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":` + spec + `}`
	}
	w.run(func(p *sim.Proc) {
		if err := w.try(p, post("crd", fmt.Sprintf(widget, schema))); err != "" {
			t.Fatal(err)
		}
		p.Sleep(time.Second)
		new := func(text string) *client.Request {
			return &client.Request{Verb: client.Create, Resource: widgets, Namespace: "default", Body: []byte(text)}
		}
		merge := func(text string) *client.Request {
			return &client.Request{Verb: client.Patch, Resource: widgets, Namespace: "default", Name: "w", PatchType: "application/merge-patch+json", Patch: []byte(text)}
		}
		for _, c := range []struct {
			request *client.Request
			want    string
		}{
			{new(body(`{"min":3,"max":2}`)), `spec.min: Invalid value: min 3 is more than max 2`},
			{new(body(`{"min":1,"max":2,"size":"2Gi"}`)), `spec: Forbidden: too large`},
			{new(body(`{"min":0,"max":2}`)), `spec: Invalid value: "object": division by zero evaluating rule: self.max / self.min < 100`},
			{new(body(`{"min":1,"max":200}`)), `spec: Invalid value: failed rule: self.max / self.min < 100`},
			{new(strings.Replace(body(`{"min":1,"max":2}`), `"w"`, `"x"`, 1)), `<nil>: Invalid value: failed rule: self.metadata.name.startsWith('w')`},
			{new(body(`{"min":1}`)), `[spec.max: Required value, <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; ` +
				`correct the existing errors to complete validation]`},
			{new(body(`{"min":1,"max":2,"ports":[{"name":"a","port":1},{"name":"b","port":0}]}`)),
				`spec.ports[1].port: Invalid value: 0: failed rule: self > 0 && self < 65536`},
			{new(body(`{"min":1,"max":2,"color":"red","ports":[{"name":"a","port":1}]}`)), ""},
			{merge(`{"spec":{"color":"blue"}}`), `spec.color: Invalid value: "blue": color is immutable`},
			{merge(`{"spec":{"max":1}}`), `spec: Invalid value: may only grow`},
			{merge(`{"spec":{"max":5}}`), ""},
		} {
			if got := w.try(p, c.request); got != c.want {
				t.Errorf("%s%s\ngot  %s\nwant %s", c.request.Body, c.request.Patch, got, c.want)
			}
		}
	})
}

func TestRulesThatDoNotCompile(t *testing.T) {
	at := `spec.versions[0].schema.openAPIV3Schema.`
	shown := func(rule string) string {
		return `Invalid value: {"Rule":"` + rule + `","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: `
	}
	rules := func(schema, rules string) string { return schema + `,"x-kubernetes-validations":[` + rules + `]}` }
	for _, c := range []struct{ schema, want string }{
		{rules(`{"type":"object","properties":{"a":{"type":"integer"}}`, `{"rule":"self.b > 1"}`),
			at + `x-kubernetes-validations[0].rule: ` + shown(`self.b \u003e 1`) + "compilation failed: ERROR: <input>:1:5: undefined field 'b'\n | self.b > 1\n | ....^"},
		{rules(`{"type":"object","properties":{"a":{"type":"integer"}}`, `{"rule":"self.a"}`),
			at + `x-kubernetes-validations[0].rule: ` + shown(`self.a`) + "cel expression must evaluate to a bool"},
		{`{"type":"object","properties":{"a":` + rules(`{"type":"array","items":{"type":"string"}`, `{"rule":"self.all(x, self.all(y, x == y))"}`) + `}}`,
			`[` + at + `properties[a].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, ` +
				`or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared), ` + at +
				`properties[a].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema, ` +
				strings.TrimSuffix(at, ".") + `: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more ` +
				`than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)]`},
		{`{"type":"object","properties":{"a":{"type":"array","items":` + rules(`{"type":"string","maxLength":5`, `{"rule":"self == oldSelf"}`) + `}}}`,
			at + `properties[a].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ` +
				at + `properties[a]`},
		{rules(`{"type":"object"`, `{"rule":" "}`), at + `x-kubernetes-validations[0].rule: Required value: rule is not specified`},
	} {
		w := celWorld(t)
		w.run(func(p *sim.Proc) {
			if got := w.try(p, post("crd", fmt.Sprintf(widget, c.schema))); got != c.want {
				t.Errorf("%s\ngot  %s\nwant %s", c.schema, got, c.want)
			}
		})
	}
}

const deployments = `"failurePolicy":"Fail","matchConstraints":{"resourceRules":[{"operations":["CREATE","UPDATE"],"apiGroups":["apps"],"apiVersions":["v1"],"resources":["deployments"]}]}`

func deploymentText(name string, replicas int, labels string) string {
	return fmt.Sprintf(`{"metadata":{"name":%q,"labels":%s},"spec":{"replicas":%d,"selector":{"matchLabels":{"app":"a"}},
		"template":{"metadata":{"labels":{"app":"a"}},"spec":{"containers":[{"name":"a","image":"nginx"}]}}}}`, name, labels, replicas)
}

func TestValidatingAdmissionPolicy(t *testing.T) {
	by := `deployments.apps "web" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: `
	for _, c := range []struct {
		name, policy, binding, deployment, want string
	}{
		{"expression", `"validations":[{"expression":"object.spec.replicas <= 5"}]`, `"validationActions":["Deny"]`, deploymentText("web", 6, `{}`),
			by + `failed expression: object.spec.replicas <= 5`},
		{"allowed", `"validations":[{"expression":"object.spec.replicas <= 5"}]`, `"validationActions":["Deny"]`, deploymentText("web", 5, `{}`), ""},
		{"message and reason", `"validations":[{"expression":"object.spec.replicas <= 5","message":"too many","reason":"Forbidden"}]`, `"validationActions":["Deny"]`,
			deploymentText("web", 6, `{}`), by + `too many`},
		{"message expression with a variable", `"variables":[{"name":"most","expression":"5"},{"name":"more","expression":"object.spec.replicas - variables.most"}],
			"validations":[{"expression":"variables.more <= 0","messageExpression":"'%d too many for '.format([variables.more]) + request.operation"}]`,
			`"validationActions":["Deny"]`, deploymentText("web", 7, `{}`), by + `2 too many for CREATE`},
		{"error", `"validations":[{"expression":"object.metadata.labels['team'] == 'a'"}]`, `"validationActions":["Deny"]`, deploymentText("web", 1, `{"x":"y"}`),
			by + `expression 'object.metadata.labels['team'] == 'a'' resulted in error: no such key: team`},
		{"condition", `"matchConditions":[{"name":"big","expression":"object.spec.replicas > 100"}],"validations":[{"expression":"false"}]`, `"validationActions":["Deny"]`,
			deploymentText("web", 7, `{}`), ""},
		{"condition with an error", `"matchConditions":[{"name":"big","expression":"object.spec.nothing > 100"}],"validations":[{"expression":"true"}]`,
			`"validationActions":["Deny"]`, deploymentText("web", 7, `{}`), by + `expression 'object.spec.nothing > 100' resulted in error: no such key: nothing`},
		{"authorizer", `"validations":[{"expression":"authorizer.group('apps').resource('deployments').namespace('default').check('delete').allowed()"}]`,
			`"validationActions":["Deny"]`, deploymentText("web", 7, `{}`), ""},
		{"namespace", `"validations":[{"expression":"namespaceObject.metadata.name != 'default'"}]`, `"validationActions":["Deny"]`, deploymentText("web", 7, `{}`),
			by + `failed expression: namespaceObject.metadata.name != 'default'`},
		{"binding that is about others", `"validations":[{"expression":"false"}]`,
			`"validationActions":["Deny"],"matchResources":{"objectSelector":{"matchLabels":{"strict":"yes"}}}`, deploymentText("web", 7, `{}`), ""},
		{"binding with its parameter", `"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},"validations":[{"expression":"object.spec.replicas <= int(params.data.most)"}]`,
			`"validationActions":["Deny"],"paramRef":{"name":"limits","namespace":"default","parameterNotFoundAction":"Deny"}`, deploymentText("web", 4, `{}`),
			by + `failed expression: object.spec.replicas <= int(params.data.most)`},
		{"binding without its parameter", `"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},"validations":[{"expression":"true"}]`,
			`"validationActions":["Deny"],"paramRef":{"name":"none","namespace":"default","parameterNotFoundAction":"Deny"}`, deploymentText("web", 4, `{}`),
			by + "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"},
		{"cost", `"variables":[{"name":"l","expression":"'a'.split('')"},{"name":"many","expression":"[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]"}],
			"validations":[{"expression":"variables.many.all(a, variables.many.all(b, variables.many.all(c, variables.many.all(d, variables.many.all(e, a+b+c+d+e > 0)))))"}]`,
			`"validationActions":["Deny"]`, deploymentText("web", 1, `{}`),
			by + `expression 'variables.many.all(a, variables.many.all(b, variables.many.all(c, variables.many.all(d, variables.many.all(e, a+b+c+d+e > 0)))))' ` +
				`resulted in error: operation cancelled: actual cost limit exceeded`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := celWorld(t)
			w.run(func(p *sim.Proc) {
				w.must(p, post("configmaps", `{"metadata":{"name":"limits"},"data":{"most":"3"}}`))
				for _, r := range []*client.Request{
					post("validatingadmissionpolicies", `{"metadata":{"name":"p"},"spec":{`+deployments+`,`+c.policy+`}}`),
					post("validatingadmissionpolicybindings", `{"metadata":{"name":"b"},"spec":{"policyName":"p",`+c.binding+`}}`),
				} {
					if err := w.try(p, r); err != "" {
						t.Fatal(err)
					}
				}
				if got := w.try(p, post("deployments", c.deployment)); got != c.want {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
			})
		})
	}
}

func TestPolicyThatOnlyWarns(t *testing.T) {
	w := celWorld(t)
	w.run(func(p *sim.Proc) {
		w.must(p, post("validatingadmissionpolicies", `{"metadata":{"name":"p"},"spec":{`+deployments+`,"validations":[{"expression":"false","message":"no"}]}}`))
		w.must(p, post("validatingadmissionpolicybindings", `{"metadata":{"name":"b"},"spec":{"policyName":"p","validationActions":["Warn","Audit"]}}`))
		var warned []string
		r := post("deployments", deploymentText("web", 1, `{}`))
		r.Warn = func(text string) { warned = append(warned, text) }
		w.must(p, r)
		expect(t, "warnings", strings.Join(warned, "\n"), "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': no")
	})
}

func TestPoliciesThatDoNotCompile(t *testing.T) {
	w := celWorld(t)
	w.run(func(p *sim.Proc) {
		got := w.try(p, post("validatingadmissionpolicies", `{"metadata":{"name":"p"},"spec":{`+deployments+`,"matchConditions":[{"name":"a","expression":"object.x"}],
			"variables":[{"name":"in","expression":"1 +"}],"validations":[{"expression":"objekt.spec == 1","messageExpression":"1"}],
			"auditAnnotations":[{"key":"k","valueExpression":"1"}]}}`))
		expect(t, "problems", got, `[spec.matchConditions[0].expression: Invalid value: "object.x": must evaluate to bool but got dyn, `+
			`spec.variables[0].name: Invalid value: "in": must be a valid CEL identifier, `+
			`spec.variables[0].expression: Invalid value: "1 +": compilation failed: ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', `+
			`'!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}`+"\n | 1 +\n | ...^, "+
			`spec.validations[0].expression: Invalid value: "objekt.spec == 1": compilation failed: ERROR: <input>:1:1: undeclared reference to 'objekt' (in container '')`+
			"\n | objekt.spec == 1\n | ^, "+`spec.validations[0].messageExpression: Invalid value: "1": must evaluate to string but got int, `+
			`spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int]`)
	})
}

func TestConditionsOfAWebhook(t *testing.T) {
	h := &hooks{answers: map[string]func(map[string]any) (string, string){"see": allows}}
	opts := DefaultOptions()
	opts.CEL = true
	w := newWorldWith(t, trace.Off, opts)
	w.s.ConnectPods(h)
	w.run(func(p *sim.Proc) {
		w.must(p, post("services", `{"metadata":{"name":"hook"},"spec":{"ports":[{"port":443}]}}`))
		w.must(p, post("endpointslices", `{"metadata":{"name":"hook-1","labels":{"kubernetes.io/service-name":"hook"}},"addressType":"IPv4",
			"endpoints":[{"addresses":["10.244.1.5"],"conditions":{"ready":true}}],"ports":[{"name":"","port":8443,"protocol":"TCP"}]}`))
		w.must(p, post("validatingwebhookconfigurations", `{"metadata":{"name":"c"},"webhooks":[`+webhookOf("see", anyConfigMap,
			`,"matchConditions":[{"name":"marked","expression":"has(object.metadata.labels) && object.metadata.labels.see == 'yes'"}]`)+`]}`))
		for _, body := range []string{`{"metadata":{"name":"a"}}`, `{"metadata":{"name":"b","labels":{"see":"yes"}}}`, `{"metadata":{"name":"c","labels":{"see":"no"}}}`} {
			w.must(p, post("configmaps", body))
		}
		expect(t, "asked", strings.Join(h.asked, ", "), "see CREATE b")
		expect(t, "error", w.try(p, post("configmaps", `{"metadata":{"name":"d","labels":{"x":"y"}}}`)),
			`configmaps "d" is forbidden: expression 'has(object.metadata.labels) && object.metadata.labels.see == 'yes'' resulted in error: no such key: see`)
	})
}

// TestAuditAnnotations: what policies want to be noted of a request stands beside its answer in the trace.
func TestAuditAnnotations(t *testing.T) {
	opts := DefaultOptions()
	opts.CEL = true
	w := newWorldWith(t, trace.All, opts)
	w.run(func(p *sim.Proc) {
		w.must(p, post("validatingadmissionpolicies", `{"metadata":{"name":"p"},"spec":{`+deployments+`,"validations":[{"expression":"true"},
			{"expression":"object.spec.replicas < 5","message":"many"}],"auditAnnotations":[{"key":"replicas","valueExpression":"'has ' + string(object.spec.replicas)"},
			{"key":"none","valueExpression":"null"}]}}`))
		w.must(p, post("validatingadmissionpolicybindings", `{"metadata":{"name":"b"},"spec":{"policyName":"p","validationActions":["Audit"]}}`))
		w.must(p, post("validatingadmissionpolicybindings", `{"metadata":{"name":"c"},"spec":{"policyName":"p","validationActions":["Audit"]}}`))
		w.must(p, post("deployments", deploymentText("web", 6, `{}`)))
		w.must(p, post("deployments", deploymentText("small", 1, `{}`)))
		expect(t, "key", w.try(p, post("validatingadmissionpolicies", `{"metadata":{"name":"q"},"spec":{`+deployments+`,"auditAnnotations":[{"key":"a b","valueExpression":"''"}]}}`)),
			`spec.auditAnnotations[0].key: Invalid value: "q/a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an `+
				`alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`)
	})
	var got []string
	for _, e := range w.k.Trace().Events(1) {
		if text := e.Text("annotations"); e.Op == trace.RequestReply && text != "" {
			got = append(got, text)
		}
	}
	expect(t, "annotations", strings.Join(got, "\n"), `validation.policy.admission.k8s.io/validation_failure=[{"message":"many","policy":"p","binding":"b","expressionIndex":1,`+
		`"validationActions":["Audit"]}], p/replicas=has 6`+"\np/replicas=has 1")
}
