package apiserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// converter is a conversion webhook: size of v1 is a text, "3 cm", of v2 a number with its unit. spoil changes its answers.
type converter struct {
	asked []string // "desired version: names"
	spoil func(object map[string]any)
	fails string
	raw   string
	down  bool
	late  bool
	shower
}

func (c *converter) Do(p *sim.Proc, address string, r Outgoing, timeout time.Duration) (int, []byte, error) {
	if c.late {
		p.Sleep(timeout)
		return 0, nil, errors.New("context deadline exceeded")
	}
	if err := c.shows(&r); err != nil {
		return 0, nil, err
	}
	if c.down {
		return 0, nil, fmt.Errorf("dial tcp %s: connect: connection refused", address)
	}
	var in struct {
		Request struct {
			UID, DesiredAPIVersion string
			Objects                []map[string]any
		}
	}
	if err := json.Unmarshal(r.Body, &in); err != nil {
		return 0, nil, err
	}
	p.Sleep(time.Millisecond)
	if c.raw != "" {
		return 200, []byte(strings.ReplaceAll(c.raw, "UID", in.Request.UID)), nil
	}
	var names []string
	for _, o := range in.Request.Objects {
		names = append(names, o["metadata"].(map[string]any)["name"].(string))
		spec := o["spec"].(map[string]any)
		if in.Request.DesiredAPIVersion == "example.com/v2" {
			number, unit, _ := strings.Cut(spec["size"].(string), " ")
			spec["size"], spec["unit"] = json.Number(number), unit
		} else {
			spec["size"] = fmt.Sprint(spec["size"], " ", spec["unit"])
			delete(spec, "unit")
		}
		o["apiVersion"] = in.Request.DesiredAPIVersion
		if c.spoil != nil {
			c.spoil(o)
		}
	}
	c.asked = append(c.asked, in.Request.DesiredAPIVersion+": "+strings.Join(names, " "))
	result := map[string]any{"status": "Success"}
	if c.fails != "" {
		result = map[string]any{"status": "Failure", "message": c.fails}
	}
	answer, err := json.Marshal(map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
		"response": map[string]any{"uid": in.Request.UID, "convertedObjects": in.Request.Objects, "result": result}})
	return 200, answer, err
}

const twoVersions = `{"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},
	"conversion":%s,"versions":[
	{"name":"v1","served":true,"storage":%t,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{
		"size":{"type":"string"},"color":{"type":"string"}}}}}}},
	{"name":"v2","served":true,"storage":%t,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","required":["unit"],"properties":{
		"size":{"type":"integer","maximum":100},"unit":{"type":"string"},"color":{"type":"string","default":"red"}}}}}}}]}}`

const byHook = `{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"service":{"namespace":"default","name":"hook","path":"/convert"}}}}`

func convertingWorld(t *testing.T, c *converter) *world {
	w := newWorld(t, trace.Off)
	w.s.ConnectPods(c)
	w.run(func(p *sim.Proc) {
		w.must(p, post("services", `{"metadata":{"name":"hook"},"spec":{"ports":[{"port":443}]}}`))
		w.must(p, post("endpointslices", `{"metadata":{"name":"hook-1","labels":{"kubernetes.io/service-name":"hook"}},"addressType":"IPv4",
			"endpoints":[{"addresses":["10.244.1.5"],"conditions":{"ready":true}}],"ports":[{"name":"","port":8443,"protocol":"TCP"}]}`))
		w.must(p, post("crd", fmt.Sprintf(twoVersions, byHook, true, false)))
		p.Sleep(time.Second)
	})
	return w
}

var definitionsResource = api.Resolve("crd").GroupVersionResource()

func widgetsIn(version string) api.GroupVersionResource {
	return api.GroupVersionResource{Group: "example.com", Version: version, Resource: "widgets"}
}

func newWidget(version, name, spec string) *client.Request {
	return &client.Request{Verb: client.Create, Resource: widgetsIn(version), Namespace: "default",
		Body: []byte(fmt.Sprintf(`{"apiVersion":"example.com/%s","kind":"Widget","metadata":{"name":%q},"spec":%s}`, version, name, spec))}
}

// shown is an object's version with its spec.
func shown(t *testing.T, obj any) string {
	t.Helper()
	u, ok := obj.(*api.Unstructured)
	if !ok {
		t.Fatalf("%T", obj)
	}
	spec, err := json.Marshal(u.Fields["spec"])
	if err != nil {
		t.Fatal(err)
	}
	return u.APIVersion + " " + u.Name + " " + string(spec)
}

func TestConversionByAWebhook(t *testing.T) {
	c := &converter{}
	w := convertingWorld(t, c)
	list := func(version string) *client.Request {
		return &client.Request{Verb: client.List, Resource: widgetsIn(version), Namespace: "default"}
	}
	all := func(r client.Result) string {
		var out []string
		for _, obj := range r.(api.List).GetItems() {
			out = append(out, shown(t, obj))
		}
		return strings.Join(out, ", ")
	}
	w.run(func(p *sim.Proc) {
		expect(t, "created as stored", shown(t, w.must(p, newWidget("v1", "a", `{"size":"3 cm"}`))), `example.com/v1 a {"size":"3 cm"}`)
		expect(t, "asked", strings.Join(c.asked, ", "), "")
		expect(t, "created as v2", shown(t, w.must(p, newWidget("v2", "b", `{"size":4,"unit":"m"}`))), `example.com/v2 b {"color":"red","size":4,"unit":"m"}`)
		stored := w.st.At("widgets.example.com", "default", w.st.Revision())
		expect(t, "stored", shown(t, stored[1]), `example.com/v1 b {"color":"red","size":"4 m"}`)
		expect(t, "read as v2", shown(t, w.must(p, get(widgetsIn("v2"), "a"))), `example.com/v2 a {"color":"red","size":3,"unit":"cm"}`)
		c.asked = nil
		expect(t, "listed as v2", all(w.must(p, list("v2"))), `example.com/v2 a {"color":"red","size":3,"unit":"cm"}, example.com/v2 b {"color":"red","size":4,"unit":"m"}`)
		expect(t, "listed again", all(w.must(p, list("v2"))), `example.com/v2 a {"color":"red","size":3,"unit":"cm"}, example.com/v2 b {"color":"red","size":4,"unit":"m"}`)
		expect(t, "asked", strings.Join(c.asked, ", "), "example.com/v2: a b")
		merge := func(version, name, text string) *client.Request {
			return &client.Request{Verb: client.Patch, Resource: widgetsIn(version), Namespace: "default", Name: name, PatchType: "application/merge-patch+json",
				Patch: []byte(text)}
		}
		expect(t, "patched as v2", shown(t, w.must(p, merge("v2", "a", `{"spec":{"size":5}}`))), `example.com/v2 a {"color":"red","size":5,"unit":"cm"}`)
		expect(t, "read as v1", shown(t, w.must(p, get(widgetsIn("v1"), "a"))), `example.com/v1 a {"color":"red","size":"5 cm"}`)
		expect(t, "validated as v2", w.try(p, merge("v2", "a", `{"spec":{"size":500}}`)), `spec.size: Invalid value: 500: spec.size in body should be less than or equal to 100`)
		apply := &client.Request{Verb: client.Patch, Resource: widgetsIn("v2"), Namespace: "default", Name: "a", PatchType: "application/apply-patch+yaml",
			FieldManager: "me", Force: true, Patch: []byte(`{"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"a"},"spec":{"unit":"km"}}`)}
		expect(t, "applied as v2", shown(t, w.must(p, apply)), `example.com/v2 a {"color":"red","size":5,"unit":"km"}`)

		// the other version is stored from now on; what is stored stays as it is until it is written
		current := w.must(p, &client.Request{Verb: client.Get, Resource: definitionsResource, Name: "widgets.example.com"})
		crd := current.(*apiextensionsv1.CustomResourceDefinition).DeepCopyObject().(*apiextensionsv1.CustomResourceDefinition)
		crd.Spec.Versions[0].Storage, crd.Spec.Versions[1].Storage = false, true
		w.must(p, update(definitionsResource, "", crd))
		p.Sleep(time.Second)
		w.must(p, newWidget("v1", "c", `{"size":"1 mm"}`))
		stored = w.st.At("widgets.example.com", "default", w.st.Revision())
		expect(t, "stored", shown(t, stored[0])+", "+shown(t, stored[2]), `example.com/v1 a {"color":"red","size":"5 km"}, example.com/v2 c {"color":"red","size":1,"unit":"mm"}`)
		expect(t, "a mixed list", all(w.must(p, list("v1"))),
			`example.com/v1 a {"color":"red","size":"5 km"}, example.com/v1 b {"color":"red","size":"4 m"}, example.com/v1 c {"color":"red","size":"1 mm"}`)
		w.must(p, remove(widgetsIn("v2"), "a", metav1.DeleteOptions{}))
	})
}

func TestWatchesThatConvert(t *testing.T) {
	c := &converter{}
	w := convertingWorld(t, c)
	var got []string
	w.run(func(p *sim.Proc) {
		w.must(p, newWidget("v1", "a", `{"size":"3 cm"}`))
		stream, err := w.s.Watch(p, &client.Request{Verb: client.Watch, Resource: widgetsIn("v2"), Namespace: "default"})
		if err != nil {
			t.Fatal(err)
		}
		w.client.Go("watch", func(p *sim.Proc) {
			for {
				e, ok := stream.Next(p)
				switch {
				case !ok:
					return
				case e.Type == client.Error:
					got = append(got, "ERROR "+e.Status.Message)
				default:
					got = append(got, string(e.Type)+" "+shown(t, e.Object))
				}
			}
		})
		p.Sleep(time.Second)
		w.must(p, newWidget("v1", "b", `{"size":"4 m"}`))
		w.must(p, remove(widgetsIn("v1"), "a", metav1.DeleteOptions{}))
		p.Sleep(time.Second)
		c.down = true
		w.must(p, newWidget("v1", "c", `{"size":"4 m"}`))
		p.Sleep(time.Second)
	})
	want := strings.Join([]string{`ADDED example.com/v2 a {"color":"red","size":3,"unit":"cm"}`, `ADDED example.com/v2 b {"color":"red","size":4,"unit":"m"}`,
		`DELETED example.com/v2 a {"color":"red","size":3,"unit":"cm"}`,
		`ERROR conversion webhook for example.com/v1, Kind=Widget failed: Post "https://hook.default.svc:443/convert?timeout=30s": dial tcp 10.244.1.5:8443: connect: connection refused`,
	}, "\n")
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

func TestConversionsThatFail(t *testing.T) {
	of := "conversion webhook for example.com/v1, Kind=Widget "
	meta := func(name string, value any) func(map[string]any) {
		return func(o map[string]any) { o["metadata"].(map[string]any)[name] = value }
	}
	set := func(name string, value any) func(map[string]any) { return func(o map[string]any) { o[name] = value } }
	for _, c := range []struct {
		hook converter
		want string
	}{
		{converter{down: true}, of + `failed: Post "https://hook.default.svc:443/convert?timeout=30s": dial tcp 10.244.1.5:8443: connect: connection refused`},
		{converter{fails: "no"}, of + "failed: no"},
		{converter{spoil: set("apiVersion", "example.com/v3")}, of + "returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v3)"},
		{converter{spoil: set("kind", "Gadget")}, of + "returned invalid object at index 0: invalid kind (expected Widget, received Gadget)"},
		{converter{spoil: meta("name", "x")}, of + "returned invalid object: must have the same name: a != x"},
		{converter{spoil: meta("uid", "x")}, of + "returned invalid object: must have the same UID: "},
		{converter{spoil: meta("labels", map[string]any{"a": 1})}, of + "returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object"},
		{converter{spoil: meta("labels", map[string]any{"a b": "c"})}, of + `returned invalid metadata: metadata.labels: Invalid value: "a b": name part must consist of`},
		{converter{raw: `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview"}`}, of + "failed: no response provided"},
		{converter{raw: `{"apiVersion":"apiextensions.k8s.io/v2","kind":"Review"}`},
			of + `failed: no kind "Review" is registered for version "apiextensions.k8s.io/v2" in scheme "pkg/runtime/scheme.go:111"`},
		{converter{raw: `{"apiVersion":"apiextensions.k8s.io/v1beta1","kind":"ConversionReview"}`},
			of + "failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion"},
		{converter{raw: `{"kind":"ConversionReview","response":{}}`},
			of + "failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=ConversionReview"},
		{converter{late: true}, of + `failed: Post "https://hook.default.svc:443/convert?timeout=30s": ` +
			"net/http: request canceled (Client.Timeout exceeded while awaiting headers)"},
		{converter{raw: `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{"uid":"x"}}`}, of + `failed: expected response.uid="`},
		{converter{raw: `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{"uid":"UID","result":{"status":"Bad"}}}`},
			of + "failed: response.result.status was 'Bad', not 'Success'"},
		{converter{raw: `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{"uid":"UID","result":{"status":"Success"}}}`},
			of + "returned 0 objects, expected 1"},
	} {
		w := convertingWorld(t, &c.hook)
		w.run(func(p *sim.Proc) {
			w.must(p, newWidget("v1", "a", `{"size":"3 cm"}`))
			_, err := w.do(p, get(widgetsIn("v2"), "a"))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			// In a list it is said of the object, too.
			_, err = w.do(p, &client.Request{Verb: client.List, Resource: widgetsIn("v2"), Namespace: "default"})
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if got := shown(t, w.must(p, get(widgetsIn("v1"), "a"))); got != `example.com/v1 a {"size":"3 cm"}` {
				t.Errorf("as it is stored: %s", got)
			}
		})
	}
}

// TestMetadataOfConversions: a webhook may change labels and annotations, and nothing else.
func TestMetadataOfConversions(t *testing.T) {
	c := &converter{spoil: func(o map[string]any) {
		meta := o["metadata"].(map[string]any)
		meta["labels"], meta["finalizers"], meta["generation"] = map[string]any{"by": "hook"}, []string{"a/b"}, 7
	}}
	w := convertingWorld(t, c)
	w.run(func(p *sim.Proc) {
		w.must(p, newWidget("v1", "a", `{"size":"3 cm"}`))
		got := w.must(p, get(widgetsIn("v2"), "a")).(*api.Unstructured)
		expect(t, "metadata", fmt.Sprint(got.Labels, got.Finalizers, got.Generation), "map[by:hook] [] 1")
	})
}

func TestConversionsThatAreRefused(t *testing.T) {
	for conversion, want := range map[string]string{
		`{"strategy":"Webhook"}`: `[spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook, spec.conversion.conversionReviewVersions: Required value]`,
		`{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1alpha1"],"clientConfig":{"url":"http://a"}}}`: `[spec.conversion.webhookClientConfig.url: Invalid value: "http": ` +
			`'https' is the only allowed URL scheme; desired format: https://host[/path], spec.conversion.conversionReviewVersions: Invalid value: ["v1alpha1"]: must include at least one of v1, v1beta1]`,
		`{"strategy":"None","webhook":{"conversionReviewVersions":["v1"]}}`: `spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook`,
		`{"strategy":"Magic"}`: `spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"`,
	} {
		w := newWorld(t, trace.Off)
		w.run(func(p *sim.Proc) {
			expect(t, conversion, w.try(p, post("crd", fmt.Sprintf(twoVersions, conversion, true, false))), want)
		})
	}
}
