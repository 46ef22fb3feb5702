package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"google.golang.org/protobuf/types/known/structpb"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	crdv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	upfield "k8s.io/apimachinery/pkg/util/validation/field"
	upadmission "k8s.io/apiserver/pkg/admission"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"

	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/resource"
	owncel "kubewalk/playground/controlplane/apiserver/cel"
	_ "kubewalk/playground/controlplane/apiserver/cel/evaluator"
	"kubewalk/playground/controlplane/apiserver/validation"
)

// object is what expressions are about.
const object = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop","labels":{"app":"web","team":"a-b"},
	"annotations":{"x.y/z":"1"}},"spec":{"replicas":3,"ratio":0.5,"big":9007199254740993,"names":["b","a","c"],"numbers":[3,1,2],"empty":[],"none":null,
	"items":[{"name":"one","port":80},{"name":"two"}],"text":"Hello, World","paused":false,"size":"1.5Gi","ip":"10.1.2.3","cidr":"10.0.0.0/8",
	"url":"https://user@example.com:8443/a%20b?x=1&y=2&x=3","version":"v1.2.3-rc.1+b","when":"2026-01-15T09:00:00Z","wait":"90s"}}`

// expressions are tried as they are; %s is a random text, %d a random number.
var expressions = []string{
	`object.spec.replicas > %d`, `object.spec.ratio * 2.0 == 1.0`, `object.spec.big == 9007199254740993`, `object.spec.replicas == 3.0`,
	`object.spec.nothing`, `has(object.spec.nothing)`, `has(object.spec.none)`, `object.spec.none == null`, `object.metadata.labels['%s']`,
	`object.metadata.labels.exists(k, k == 'team' && object.metadata.labels[k].startsWith('a'))`, `object.metadata.annotations['x.y/z']`,
	`object.spec.names.isSorted()`, `object.spec.numbers.sum()`, `object.spec.numbers.max() + object.spec.numbers.min()`, `object.spec.empty.max()`,
	`[1, 2, 3].sum() == 6`, `['b', 'a'].min()`, `['a', '%s', 'c'].isSorted()`, `[1, 2, %d].indexOf(2)`, `[2, 1, 2, %d].lastIndexOf(2)`, `[duration('1s'), duration('2s')].sum()`,
	`object.spec.names.map(n, n + '%s')`, `object.spec.names.filter(n, n > 'a').size()`, `object.spec.items.all(i, has(i.port))`, `object.spec.items.exists_one(i, i.name == 'two')`,
	`object.spec.items.map(i, i.port)`, `object.spec.items[%d].name`, `object.spec.items[0].port / %d`, `object.spec.text.lowerAscii()`, `object.spec.text.split('%s')`,
	`object.spec.text.replace('o', '%s')`, `object.spec.text.substring(2, 5)`, `object.spec.text.substring(%d)`, `' a '.trim()`, `object.spec.text.indexOf('%s')`,
	`object.spec.text.charAt(%d)`, `object.spec.names.join('%s')`, `'%%s is %%d and %%.2f'.format(['%s', %d, 0.5])`, `'%%s'.format([object.metadata.labels])`,
	`object.spec.text.matches('^H.*%s')`, `object.spec.text.find('[a-z]+')`, `object.spec.text.findAll('[a-z]')`, `object.spec.text.findAll('[a-z]', %d)`, `object.spec.text.find('[')`,
	`quantity(object.spec.size).isGreaterThan(quantity('%d'))`, `quantity('%s')`, `isQuantity('%s')`, `quantity('1500m').asInteger()`, `quantity('2k').asInteger()`, `quantity('2').isInteger()`,
	`quantity('1500m').asApproximateFloat()`, `quantity('1Ki').add(quantity('%d')).compareTo(quantity('1Ki'))`, `quantity('5').sub(%d).asInteger()`, `sign(quantity('-3'))`,
	`quantity('1') == quantity('1000m')`, `ip(object.spec.ip).family()`, `ip('%s')`, `isIP('%s')`, `ip('::1').isLoopback()`, `ip('10.0.0.1') == ip('10.0.0.1')`, `ip.isCanonical('::0001')`,
	`string(ip('10.0.0.1'))`, `cidr(object.spec.cidr).containsIP(object.spec.ip)`, `cidr('10.0.0.0/8').containsCIDR('10.%d.0.0/16')`, `cidr('10.0.0.0/8').containsIP(ip('11.0.0.1'))`,
	`cidr('10.1.2.3/8').masked().ip() == ip('10.0.0.0')`, `cidr('10.0.0.0/%d').prefixLength()`, `isCIDR('%s')`, `string(cidr('10.0.0.0/8'))`, `cidr('10.0.0.0/8').containsIP('x')`,
	`url(object.spec.url).getHost()`, `url(object.spec.url).getHostname() + url(object.spec.url).getPort()`, `url(object.spec.url).getEscapedPath()`, `url(object.spec.url).getQuery()['x']`,
	`url('%s')`, `isURL('%s')`, `url('https://a/b').getScheme()`, `format.dns1123Label().validate('%s')`, `format.named('%s').hasValue()`, `format.named('uuid').value().validate('x').value()`,
	`!format.dns1123Subdomain().validate(object.metadata.name).hasValue()`, `format.date().validate('2026-01-%d').hasValue()`, `semver('1.%d.3').minor()`, `semver('%s')`,
	`isSemver('v1.0', true)`, `semver('v1.0', true).compareTo(semver('1.0.1-a.1'))`, `semver(object.spec.version)`, `semver('1.0.0').isGreaterThan(semver('1.0.0-rc.1'))`,
	`timestamp(object.spec.when).getHours()`, `timestamp(object.spec.when) + duration(object.spec.wait) > timestamp('2026-01-15T09:01:00Z')`, `duration('%s')`,
	`object.?spec.?nothing.orValue(%d)`, `optional.of(1).hasValue()`, `object.spec.names.all(i, v, i < 3 && v != '')`, `object.metadata.labels.transformList(k, v, k + v).size()`,
	`sets.contains(object.spec.names, ['a', '%s'])`, `sets.equivalent([1, 2], [2, 1])`, `object.spec.names.slice(0, 2)`, `[3, 1, 2].sort()`, `object.spec.names.distinct().size()`,
	`[[1], [2, 3]].flatten()`, `lists.range(3)`, `object.spec.names.reverse()`, `oldObject == null`, `oldObject.spec`, `request.operation == 'CREATE'`, `request.userInfo.username`,
	`request.namespace`, `request.dryRun`, `request.kind.kind + request.resource.resource`, `request.subResource`, `'a' + 1`, `unknown(1)`, `objekt`, `object.spec.`, `1 / 0`, `9223372036854775807 + 1`,
	`'%s' in object.spec.names`, `'app' in object.metadata.labels`, `object.spec.replicas > 1 ? 'many' : '%s'`, `size(object.spec.text) + size(object.spec.items)`, `dyn(1) == dyn('1')`,
	`[1, 'a']`, `{'a': 1}.all(k, k == 'a')`, `{'a': 1, 'b': 2}.map(k, k)`, `string(object.spec.replicas) + 'x'`, `int('%s')`, `type(object.spec.replicas) == int`, `b'abc'.size()`,
	`object.spec.numbers.all(a, object.spec.numbers.all(b, object.spec.numbers.all(c, a + b + c > 0)))`, `strings.quote('%s')`, `'%s'.reverse()`,
}

// texts are what %s stands for.
var texts = []string{"", "a", "app", "team", "1Gi", "10m", "1.5x", "10.0.0.1", "10.0.0.0/8", "::ffff:1.2.3.4", "fe80::1%eth0", "https://example.com/a", "uuid", "dns1123Label", "o",
	"Web_1", "1.2.3", "01.2.3", "v1.2.3", "1.2.3-a..b", "12", "90s", "-", "x y", ",", "..", "2026-01-01", "none"}

func filled(r *rand.Rand, expression string) string {
	var args []any
	for i := 0; i+1 < len(expression); i++ {
		switch expression[i : i+2] {
		case "%s":
			args = append(args, texts[r.IntN(len(texts))])
		case "%d":
			args = append(args, r.IntN(12))
		case "%%":
			i++
		}
	}
	return fmt.Sprintf(strings.ReplaceAll(expression, "%.", "%%."), args...)
}

// anything is an expression that may evaluate to anything.
type anything string

func (e anything) GetExpression() string  { return string(e) }
func (anything) ReturnTypes() []*cel.Type { return []*cel.Type{cel.AnyType} }

// TestExpressions has upstream's evaluator and ours evaluate the same: values, errors and costs are the same.
func TestExpressions(t *testing.T) {
	var tree map[string]any
	if err := utiljson.Unmarshal([]byte(object), &tree); err != nil {
		t.Fatal(err)
	}
	gvk := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	gvr := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	attributes := upadmission.NewAttributesRecord(&unstructured.Unstructured{Object: tree}, nil, gvk, "shop", "web", gvr, "", upadmission.Create, nil, false, nil)
	versioned := &upadmission.VersionedAttributes{Attributes: attributes, VersionedObject: &unstructured.Unstructured{Object: tree}, VersionedKind: gvk}
	dryRun := false
	request := &admissionv1.AdmissionRequest{Name: "web", Namespace: "shop", Operation: "CREATE", DryRun: &dryRun}
	request.Kind.Kind, request.Resource.Resource, request.UserInfo.Username = "Deployment", "deployments", "ann"
	in := &owncel.Input{Object: decoded(t, object), Request: decoded(t, text(t, request))}

	r := rand.New(rand.NewPCG(1, 2))
	compared, failed := 0, 0
	for round := range 6 {
		for _, template := range expressions {
			e := filled(r, template)
			if round > 0 && e == template {
				continue
			}
			compiler, err := plugincel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
			if err != nil {
				t.Fatal(err)
			}
			list := []plugincel.ExpressionAccessor{anything(e)}
			upstream := func() string {
				results, left, err := compiler.CompileCondition(list, plugincel.OptionalVariableDeclarations{}, environment.NewExpressions).
					ForInput(context.Background(), versioned, request, plugincel.OptionalVariableBindings{}, nil, celconfig.RuntimeCELCostBudget)
				if err != nil {
					t.Fatal(err)
				}
				said := ""
				if results[0].Error != nil {
					said = "error: " + results[0].Error.Error()
				} else {
					said = value(results[0].EvalResult.Value())
				}
				return said + fmt.Sprintf(" (cost %d)", celconfig.RuntimeCELCostBudget-left)
			}

			own := owncel.Installed().Compiler()
			run := own.Start(in, owncel.Budget)
			got, problem := run.Evaluate(own.Compile(e, owncel.Any, owncel.Scope{}))
			said := ""
			if problem != nil {
				said = "error: " + problem.Detail
			} else {
				if v, ok := got.(interface{ Value() any }); ok {
					got = v.Value()
				}
				said = value(got)
			}
			said += fmt.Sprintf(" (cost %d)", owncel.Budget-run.Left())
			compared++
			want := upstream()
			for again := 0; said != want && again < 50; again++ { // it goes through maps in an order that changes from run to run
				want = upstream()
			}
			if said != want {
				failed++
				t.Errorf("%s\ngot  %s\nwant %s", e, said, want)
			}
		}
	}
	t.Logf("%d expressions, %d differ", compared, failed)
}

// value is a value as text, whatever types its parts have in Go.
func value(v any) string {
	switch v := v.(type) {
	case structpb.NullValue:
		return "<nil>"
	case resource.Quantity:
		return v.String()
	}
	out := fmt.Sprintf("%v", v)
	for _, part := range []string{"{", "&"} { // structs of either side have fields of their own
		if strings.HasPrefix(out, part) {
			return "a struct"
		}
	}
	return out
}

func text(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func decoded(t *testing.T, text string) (out map[string]any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// ruleSchema has a place for rules at each level.
const ruleSchema = `{"type":"object",%s"properties":{"spec":{"type":"object",%s"required":["a"],"properties":{
	"a":{"type":"integer"},"b":{"type":"integer"},"n":{"type":"number"},"s":{"type":"string","maxLength":30%s},"when":{"type":"string","format":"date-time"},
	"wait":{"type":"string","format":"duration"},"bytes":{"type":"string","format":"byte"},"any":{"x-kubernetes-int-or-string":true},
	"free":{"type":"object","x-kubernetes-preserve-unknown-fields":true},"my-field":{"type":"string","maxLength":10},"namespace":{"type":"string","maxLength":10},
	"null":{"type":"string","nullable":true,"maxLength":10},
	"map":{"type":"object","maxProperties":10,"additionalProperties":{"type":"string","maxLength":10%s}},
	"set":{"type":"array","maxItems":10,"x-kubernetes-list-type":"set","items":{"type":"string","maxLength":10}},
	"list":{"type":"array","maxItems":10,"items":{"type":"string","maxLength":10}},
	"ports":{"type":"array","maxItems":10,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object",%s"required":["name"],
		"properties":{"name":{"type":"string","maxLength":10},"port":{"type":"integer"}}}}}},"status":{"type":"object","properties":{"done":{"type":"boolean"}}}}}`

// levelRules are rules for each of its places.
var levelRules = [5][]string{
	{`{"rule":"self.metadata.name.size() < 5"}`, `{"rule":"self.kind == 'Thing'"}`, `{"rule":"has(self.status) && self.status.done"}`, `{"rule":"self.metadata.labels.size() > 0"}`,
		`{"rule":"self.spec.a == oldSelf.spec.a","message":" is immutable "}`, `{"rule":"self.nothing"}`, `{"rule":"self.spec.a > 1","fieldPath":".spec.a","reason":"FieldValueForbidden"}`},
	{`{"rule":"self.a < self.b"}`, `{"rule":"has(self.b) && self.a < self.b","messageExpression":"'%d is not less'.format([self.a])"}`, `{"rule":"self.a / self.b > 0"}`,
		`{"rule":"self.n > 0.5"}`, `{"rule":"self.when > timestamp('2026-01-01T00:00:00Z')"}`, `{"rule":"self.wait > duration('1m')","reason":"FieldValueRequired"}`,
		`{"rule":"self.bytes == b'abc'"}`, `{"rule":"type(self.any) == int ? self.any > 1 : self.any.endsWith('%')"}`, `{"rule":"self.any > 1"}`, `{"rule":"self.free == oldSelf.free"}`,
		`{"rule":"self.my__dash__field == 'x'"}`, `{"rule":"self.__namespace__ == 'x'"}`, `{"rule":"self.namespace == 'x'"}`, `{"rule":"self.null == null"}`, `{"rule":"has(self.null)"}`,
		`{"rule":"self.map.all(k, self.map[k] != k)","messageExpression":"self.map['zz']"}`, `{"rule":"self.set == ['b', 'a']"}`, `{"rule":"self.list == ['b', 'a']"}`,
		`{"rule":"self.set + ['b'] == self.set"}`, `{"rule":"self.list.size() + self.ports.size() < 3"}`, `{"rule":"self.ports.exists(p, p.name == 'a' && p.port == 80)"}`,
		`{"rule":"self.ports == oldSelf.ports"}`, `{"rule":"self.a >= oldSelf.a","messageExpression":"'from ' + string(oldSelf.a)"}`,
		`{"rule":"!oldSelf.hasValue() || oldSelf.value().a <= self.a","optionalOldSelf":true}`, `{"rule":"self.a > 0","optionalOldSelf":true}`, `{"rule":"self.a"}`, `{"rule":"self.a + 'x' == 'y'"}`,
		`{"rule":"self.a > 0","messageExpression":"self.a"}`, `{"rule":"self.a > 0","messageExpression":"self.nothing"}`, `{"rule":"self.list.all(x, self.list.all(y, x != y))"}`,
		`{"rule":"self.a > 1","fieldPath":".b"}`, `{"rule":"self.a > 1","fieldPath":".map['x']","reason":"FieldValueDuplicate"}`, `{"rule":"self.a > 1","fieldPath":".zzz"}`,
		`{"rule":"quantity(self.s).isLessThan(quantity('1Gi'))"}`, `{"rule":"self.size() > 1"}`, `{"rule":"self.free.x == 1"}`, `{"rule":"has(self.free)"}`},
	{`{"rule":"self.startsWith('a')"}`, `{"rule":"self == oldSelf"}`, `{"rule":"self.matches('^[a-z]+$')","message":"letters only"}`, `{"rule":"self in ['a', 'b']"}`},
	{`{"rule":"self != 'x'"}`, `{"rule":"self.size() >= oldSelf.size()"}`},
	{`{"rule":"self.port > 0"}`, `{"rule":"has(self.port) || self.name == 'b'"}`, `{"rule":"self.port == oldSelf.port"}`},
}

// specs are objects' specs, before and after.
var specs = []string{
	`{"a":1}`, `{"a":2,"b":1}`, `{"a":1,"b":0,"n":0.25,"s":"abc","when":"2025-12-31T23:00:00Z","wait":"30s","bytes":"YWJj","any":"50%"}`,
	`{"a":1,"b":5,"n":1,"s":"A1","when":"2026-12-31T23:00:00Z","wait":"2m","bytes":"YWJk","any":0,"my-field":"x","namespace":"y","null":null}`,
	`{"a":3,"b":4,"any":"x","null":"n","map":{"x":"x","y":"z"},"set":["a","b"],"list":["a","b"],"ports":[{"name":"a","port":80},{"name":"b"}],"free":{"x":1}}`,
	`{"a":3,"b":4,"s":"1Gi","map":{"x":"y"},"set":["b","a","c"],"list":["b","a"],"ports":[{"name":"b","port":0},{"name":"a","port":80}],"free":{"x":2}}`,
}

// TestRules has upstream and ours check definitions with random rules, and objects against those that compile.
func TestRules(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	objects, refused := 0, 0
	for range 400 {
		var at [5]any
		for i, rules := range levelRules {
			at[i] = ""
			if r.IntN(3) > 0 && i != 1 {
				continue
			}
			list := rules[r.IntN(len(rules))]
			if r.IntN(2) == 0 {
				if other := rules[r.IntN(len(rules))]; other != list {
					list += "," + other
				}
			}
			if list = `"x-kubernetes-validations":[` + list + `]`; i == 2 || i == 3 {
				at[i] = "," + list
			} else {
				at[i] = list + ","
			}
		}
		text := fmt.Sprintf(ruleSchema, at[:]...)
		var theirs crdv1.JSONSchemaProps
		var ours apiextensionsv1.JSONSchemaProps
		if err := json.Unmarshal([]byte(text), &theirs); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := json.Unmarshal([]byte(text), &ours); err != nil {
			t.Fatal(err)
		}
		var internal apiextensions.JSONSchemaProps
		if err := crdv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&theirs, &internal, nil); err != nil {
			t.Fatal(err)
		}
		if !checkDefinition(t, text, &internal, &ours) {
			refused++
			continue
		}
		s, err := structural.NewStructural(&internal)
		if err != nil {
			t.Fatal(err)
		}
		upstream := schemacel.NewValidator(s, true, celconfig.PerCallLimit)
		own := owncel.Installed().Rules(&ours)
		for range 4 {
			now := whole(r, specs[r.IntN(len(specs))])
			before := ""
			if r.IntN(2) == 0 {
				before = whole(r, specs[r.IntN(len(specs))])
			}
			objects++
			want := upstreamVerdict(t, upstream, s, now, before)
			var old map[string]any
			if before != "" {
				old = decoded(t, before)
			}
			errs, _ := own.Validate(decoded(t, now), old)
			if got := sorted(errs, func(e *field.Error) string { return e.Error() }); got != want {
				t.Errorf("%s\n%s\nbefore %s\ngot  %s\nwant %s", text, now, before, got, want)
			}
		}
	}
	t.Logf("%d objects; %d definitions were refused", objects, refused)
	if objects < 400 || refused < 30 {
		t.Error("the rules are about too little")
	}
}

func whole(r *rand.Rand, spec string) string {
	name := []string{"a", "longer"}[r.IntN(2)]
	return `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"` + name + `"},"spec":` + spec + `,"status":{"done":` + fmt.Sprint(r.IntN(2) == 0) + `}}`
}

func upstreamVerdict(t *testing.T, v *schemacel.Validator, s *structural.Structural, now, before string) string {
	t.Helper()
	var obj, old map[string]any
	if err := utiljson.Unmarshal([]byte(now), &obj); err != nil {
		t.Fatal(err)
	}
	var options []schemacel.Option
	var was any
	if before != "" {
		if err := utiljson.Unmarshal([]byte(before), &old); err != nil {
			t.Fatal(err)
		}
		was = old
		options = append(options, schemacel.WithRatcheting(common.NewCorrelatedObject(obj, old, &model.Structural{Structural: s})))
	}
	errs, _ := v.Validate(context.Background(), nil, s, obj, was, celconfig.RuntimeCELCostBudget, options...)
	return sorted(errs, func(e *upfield.Error) string { return e.Error() })
}

// sorted is errors as one text: upstream's come in the order of Go's maps.
func sorted[E any](errs []E, text func(E) string) string {
	var out []string
	for _, e := range errs {
		out = append(out, text(e))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// checkDefinition compares what is said of the rules in a schema, and tells whether nothing is.
func checkDefinition(t *testing.T, text string, theirs *apiextensions.JSONSchemaProps, ours *apiextensionsv1.JSONSchemaProps) bool {
	t.Helper()
	crd := &apiextensions.CustomResourceDefinition{Spec: apiextensions.CustomResourceDefinitionSpec{Group: "example.com", Scope: apiextensions.NamespaceScoped,
		Names: apiextensions.CustomResourceDefinitionNames{Plural: "things", Singular: "thing", Kind: "Thing", ListKind: "ThingList"},
		Versions: []apiextensions.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true,
			Schema: &apiextensions.CustomResourceValidation{OpenAPIV3Schema: theirs}}},
		PreserveUnknownFields: new(bool), Conversion: &apiextensions.CustomResourceConversion{Strategy: apiextensions.NoneConverter}}}
	crd.Name, crd.Status.StoredVersions = "things.example.com", []string{"v1"}
	errs := slices.DeleteFunc(crdvalidation.ValidateCustomResourceDefinition(context.Background(), crd), func(e *upfield.Error) bool {
		return !strings.Contains(e.Error(), "x-kubernetes-validations") || e.Field == "spec.versions" // about something else
	})
	want := sorted(errs, func(e *upfield.Error) string { return unnamed(e.Error()) })
	own := &apiextensionsv1.CustomResourceDefinition{}
	own.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: ours}}}
	got := sorted(validation.ValidateExpressions(owncel.Installed(), own), func(e *field.Error) string { return unnamed(e.Error()) })
	if got != want {
		t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
	}
	return want == "" && got == ""
}

// unnamed drops the digits that upstream gives its types, and the place of a schema, which differs.
func unnamed(text string) string {
	text = strings.ReplaceAll(text, "spec.validation.", "spec.versions[0].schema.")
	before, after, ok := strings.Cut(text, "selfType")
	if !ok {
		return text
	}
	return before + "selfType" + unnamed(strings.TrimLeft(after, "0123456789"))
}
