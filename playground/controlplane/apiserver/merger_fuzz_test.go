package apiserver

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/transport"
	"kubewalk/playground/sim"
)

// chooser turns bytes into choices: one for each, and the first of what there is when there are no more.
type chooser struct {
	data []byte
	left int // what may still be written
	deep int // how many levels down have one field alone
	odd  int // how much of that may still be wrong, or a directive: with more, hardly a patch would be an ordinary one
}

// oddly says whether it is time for something odd: once in n.
func (c *chooser) oddly(n int) bool {
	if c.odd == 0 || c.among(n) != 1 {
		return false
	}
	c.odd--
	return true
}

func (c *chooser) among(n int) int {
	if len(c.data) == 0 || n < 2 {
		return 0
	}
	b := int(c.data[0])
	c.data = c.data[1:]
	return b % n
}

func (c *chooser) word(words ...string) string { return words[c.among(len(words))] }

// Few words, so that what patches name is often there.
func (c *chooser) text() string {
	return c.word(`"a"`, `"b"`, `"c"`, `"d"`, `""`, `"\u0061"`, `"<&>"`, `"\u2028é\n"`, `"\ud800"`, `"$patch"`, `"1"`)
}

func marshals(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}

// holdsStructs says whether there are fields in a field.
func holdsStructs(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct && !marshals(t)
}

// fieldsOf lists a struct's fields by their JSON names, those of inlined structs among them.
func fieldsOf(t reflect.Type) (out []reflect.StructField) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			out = append(out, fieldsOf(f.Type)...)
		case f.IsExported() && name != "-":
			f.Name = name
			out = append(out, f)
		}
	}
	return out
}

// value writes JSON of a type: of a patch, or of a document, which has no directives and nothing wrong. field is the tag of the field that it is for, of
// what the document has there: patches are mostly about that.
func (c *chooser) value(t reflect.Type, field reflect.StructTag, of any, patch bool) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if c.left--; c.left < 0 {
		return "null"
	}
	if patch {
		if c.among(8) == 1 {
			return "null"
		}
		if c.oddly(16) {
			return c.word(`"a"`, `5`, `{}`, `[]`, `[null]`, `{"a":"b"}`, `true`, `1.5`, `-0`, `1e400`, `[[]]`, `{"$patch":"replace"}`, `{"$patch":"delete"}`)
		}
	}
	switch t {
	case reflect.TypeFor[metav1.Time]():
		return c.word(`"2026-01-15T09:00:00Z"`, `"2026-01-15T09:00:01Z"`, `"2026-01-15T10:00:00+01:00"`, `"2026-01-15T09:00:00.5Z"`)
	case reflect.TypeFor[metav1.MicroTime]():
		return c.word(`"2026-01-15T09:00:00.000000Z"`, `"2026-01-15T09:00:01.000001Z"`)
	case reflect.TypeFor[resource.Quantity]():
		return c.word(`"1"`, `"250m"`, `"1000m"`, `"1Gi"`, `1`, `"0.5"`)
	case reflect.TypeFor[intstr.IntOrString]():
		return c.word(`1`, `"50%"`, `"http"`, `2`)
	}
	switch {
	case marshals(t):
		return c.word(`{}`, `{"f:a":{}}`)
	case t.Kind() == reflect.String:
		return c.text()
	case t.Kind() == reflect.Bool:
		return c.word(`true`, `false`)
	case t.Kind() == reflect.Int32, t.Kind() == reflect.Int64, t.Kind() == reflect.Int:
		return c.word(`1`, `80`, `0`, `443`, `2147483647`)
	case t.Kind() == reflect.Struct:
		return c.object(t, of, patch)
	case t.Kind() == reflect.Map:
		return c.dictionary(t, of, patch)
	case t == reflect.TypeFor[[]byte]():
		return c.word(`"YQ=="`, `"Yg=="`, `""`)
	case t.Kind() == reflect.Slice:
		return c.list(t, field, of, patch)
	}
	return c.word(`{}`, `null`, `{"a":1}`)
}

func (c *chooser) object(t reflect.Type, of any, patch bool) string {
	var out []string
	fields := fieldsOf(t)
	there, _ := of.(map[string]any)
	n := c.among(6)
	if c.deep > 0 {
		if inner := slices.DeleteFunc(slices.Clone(fields), func(f reflect.StructField) bool { return !holdsStructs(f.Type) }); len(inner) > 0 {
			n, fields = 1, inner
		}
		c.deep--
	}
	known := slices.DeleteFunc(slices.Clone(fields), func(f reflect.StructField) bool { return there[f.Name] == nil })
	for range n {
		if len(fields) == 0 {
			break
		}
		f := fields[c.among(len(fields))]
		if len(known) > 0 && c.among(4) > 0 {
			f = known[c.among(len(known))]
		}
		twice := slices.ContainsFunc(out, func(s string) bool { return strings.HasPrefix(s, fmt.Sprintf("%q:", f.Name)) })
		if twice || f.Name == "kind" || f.Name == "apiVersion" {
			if !patch || !c.oddly(8) {
				continue
			}
		}
		name := f.Name
		if patch && c.oddly(10) {
			switch c.among(6) {
			case 1:
				out = append(out, fmt.Sprintf(`"$patch":%s`, c.word(`"replace"`, `"delete"`, `"merge"`, `"x"`)))
			case 2:
				out = append(out, fmt.Sprintf(`"$retainKeys":["%s","%s"]`, name, fields[c.among(len(fields))].Name))
			case 3:
				name = strings.ToUpper(name)
			case 4:
				name += "x"
			case 5:
				name = "$" + name
			}
		}
		if patch && f.Type.Kind() == reflect.Slice && c.oddly(4) {
			out = append(out, c.directives(f)...)
		}
		out = append(out, fmt.Sprintf("%q:%s", name, c.value(f.Type, f.Tag, there[f.Name], patch)))
	}
	return "{" + c.word("", " ", "\n\t") + strings.Join(out, ",") + "}"
}

// directives are those that stand beside a list.
func (c *chooser) directives(f reflect.StructField) []string {
	key := f.Tag.Get("patchMergeKey")
	item := func() string {
		if key == "" {
			return c.text()
		}
		return fmt.Sprintf(`{%q:%s}`, key, c.key(f.Type.Elem(), key))
	}
	if c.among(2) == 0 {
		return []string{fmt.Sprintf(`"$setElementOrder/%s":[%s,%s]`, f.Name, item(), item())}
	}
	return []string{fmt.Sprintf(`"$deleteFromPrimitiveList/%s":[%s]`, f.Name, item())}
}

// key writes what a list's elements are told apart by.
func (c *chooser) key(elem reflect.Type, name string) string {
	for elem.Kind() == reflect.Pointer {
		elem = elem.Elem()
	}
	for _, f := range fieldsOf(elem) {
		if f.Name == name {
			return c.value(f.Type, "", nil, false)
		}
	}
	return `"a"`
}

func (c *chooser) dictionary(t reflect.Type, of any, patch bool) string {
	var out []string
	there, _ := of.(map[string]any)
	for range c.among(4) {
		key := c.text()
		if slices.ContainsFunc(out, func(s string) bool { return strings.HasPrefix(s, key+":") }) && (!patch || !c.oddly(8)) {
			continue
		}
		if patch && c.oddly(4) {
			out = append(out, fmt.Sprintf(`"$patch":%s`, c.word(`"replace"`, `"delete"`)))
		}
		var name string
		_ = json.Unmarshal([]byte(key), &name)
		out = append(out, key+":"+c.value(t.Elem(), "", there[name], patch))
	}
	return "{" + strings.Join(out, ",") + "}"
}

func (c *chooser) list(t reflect.Type, field reflect.StructTag, of any, patch bool) string {
	var out []string
	key := field.Get("patchMergeKey")
	there, _ := of.([]any)
	n := c.among(4)
	if c.deep > 0 {
		n = 1
	}
	for i := range n {
		var at any
		if i < len(there) {
			at = there[i]
		}
		item := c.value(t.Elem(), "", at, patch)
		if key != "" && strings.HasPrefix(item, "{") && !strings.Contains(item, fmt.Sprintf("%q:", key)) && !c.oddly(8) { // an element of such a list has its key
			more := ","
			if strings.Trim(item, "{} \n\t") == "" {
				more = ""
			}
			directive := ""
			if patch && c.oddly(3) {
				directive = c.word(`"$patch":"delete",`, `"$patch":"replace",`, `"$retainKeys":["`+key+`"],`)
			}
			item = "{" + directive + fmt.Sprintf("%q:%s", key, c.key(t.Elem(), key)) + more + item[1:]
		}
		out = append(out, item)
	}
	return "[" + strings.Join(out, c.word(",", " , ")) + "]"
}

// patchSeeds are a patch for each way in which a list is merged, with something that it changes.
var patchSeeds = [][2]string{
	{`{"spec":{"containers":[{"name":"a","image":"x"},{"name":"b"}]}}`, `{"spec":{"containers":[{"name":"b","image":"y"},{"name":"c"}]}}`},
	{`{"spec":{"containers":[{"name":"a"},{"name":"b"}]}}`,
		`{"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}],"containers":[{"name":"b","$patch":"delete"}]}}`},
	{`{"spec":{"containers":[{"name":"a"}]}}`, `{"spec":{"containers":[{"$patch":"replace"},{"name":"c"}]}}`},
	{`{"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"protocol":"TCP"},{"containerPort":80,"protocol":"UDP"}]}]}}`,
		`{"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"protocol":"UDP","name":"dns"},{"containerPort":443}]}]}}`},
	{`{"spec":{"containers":[{"name":"a","env":[{"name":"X","value":"1"}],"args":["a"],"resources":{"limits":{"cpu":"1"}}}]}}`,
		`{"spec":{"containers":[{"name":"a","env":[{"name":"X","value":null},{"name":"Y","value":"2"}],"args":["b"],` +
			`"resources":{"limits":{"memory":"1Gi","cpu":null}}}]}}`},
	{`{"spec":{"volumes":[{"name":"v","emptyDir":{}}]}}`, `{"spec":{"volumes":[{"name":"v","$retainKeys":["name","hostPath"],"hostPath":{"path":"/x"}}]}}`},
	{`{"spec":{"volumes":[{"name":"v","emptyDir":{}}],"initContainers":[{"name":"i"}],"imagePullSecrets":[{"name":"s"}]}}`,
		`{"spec":{"volumes":[{"name":"v","emptyDir":null,"configMap":{"name":"c"}}],"initContainers":null,"imagePullSecrets":[{"name":"t"}]}}`},
	{`{"spec":{"tolerations":[{"key":"a","operator":"Exists"}],"nodeSelector":{"a":"b"},"hostAliases":[{"ip":"1.2.3.4","hostnames":["h"]}]}}`,
		`{"spec":{"tolerations":[{"key":"b"}],"nodeSelector":{"a":null,"c":"d"},"hostAliases":[{"ip":"1.2.3.4","hostnames":["i"]}]}}`},
	{`{"metadata":{"finalizers":["a","b"]}}`,
		`{"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],"$setElementOrder/finalizers":["c","b"],"finalizers":["c"]}}`},
	{`{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"o","uid":"u"}]}}`,
		`{"metadata":{"ownerReferences":[{"$patch":"delete","uid":"u"},{"apiVersion":"v1","kind":"Pod","name":"p","uid":"w","controller":true}]}}`},
	{`{"metadata":{"labels":{"a":"b"},"annotations":{"a":"b"}}}`, `{"metadata":{"labels":{"a":null},"annotations":{"$patch":"replace","c":"d"},"uid":"u"}}`},
	{`{"metadata":{"labels":{"a":"b"},"annotations":{"a":"b"}}}`, `{"metadata":{"labels":{"a":null,"c":"d"},"annotations":{"$patch":"replace","c":"d"}}}`},
	{`{"status":{"conditions":[{"type":"Ready","status":"False"}]}}`,
		`{"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"Other","status":"True"}],"phase":"Running"}}`},
	{`{"status":{"podIPs":[{"ip":"10.0.0.1"}],"startTime":"2026-01-15T09:00:00Z"}}`,
		`{"status":{"podIPs":[{"ip":"10.0.0.2"}],"startTime":null,"hostIPs":[{"ip":"10.0.0.3"}]}}`},
	{`{"spec":{"securityContext":{"runAsUser":5,"fsGroup":7},"affinity":{}}}`,
		`{"spec":{"securityContext":{"$patch":"replace","runAsUser":6},"affinity":{"nodeAffinity":{"a":1}}}}`},
	{`{"spec":{"priority":3,"hostNetwork":true}}`, `{"spec":{"priority":null,"hostNetwork":null,"priority":5}}`},
	{`{"spec":{"nodeName":"n"}}`, `{"spec":{"$retainKeys":["nodeName"],"nodeName":"m"}}`},
	{`{"spec":{"nodeName":"n"}}`, `{"$patch":"replace","spec":{"nodeName":"m"}}`},
	{`{"spec":{"nodeName":"n"}}`, `{"$patch":"delete"}`},
}

// FuzzMerger compares what the server makes of an object and a patch in memory (api.Merger), and of a part of it (applyPatchToPart), with what it makes of
// JSON. Objects and patches are given, or are made by choices from the Go types of the kinds served, so that most patches are near to right ones.
func FuzzMerger(f *testing.F) {
	all := api.AllKinds()
	place := func(name string) uint8 {
		return uint8(slices.IndexFunc(all, func(k *api.Kind) bool { return k.Kind == name }))
	}
	for _, seed := range patchSeeds {
		f.Add(place("Pod"), seed[0], seed[1], []byte{})
		f.Add(place("Pod"), "", seed[1], []byte(seed[0]))
	}
	f.Add(place("Service"), `{"spec":{"ports":[{"port":80,"protocol":"TCP"},{"port":53}]}}`,
		`{"spec":{"ports":[{"port":80,"protocol":"UDP"},{"port":53,"$patch":"delete"}]}}`, []byte{})
	f.Add(place("ServiceAccount"), `{"secrets":[{"name":"a"}]}`, `{"secrets":[{"name":"b"}],"automountServiceAccountToken":false}`, []byte{})
	f.Add(place("Node"), `{"spec":{"taints":[{"key":"a","effect":"NoSchedule"}],"podCIDRs":["10.0.0.0/24"]}}`,
		`{"spec":{"taints":[{"key":"a","effect":"NoExecute"}],"podCIDRs":["10.0.1.0/24"]},`+
			`"status":{"addresses":[{"type":"Hostname","address":"h"}],"allocatable":{"cpu":"1"}}}`, []byte{})
	f.Add(place("Deployment"), `{"spec":{"replicas":1,"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}}`,
		`{"spec":{"replicas":2,"strategy":{"$retainKeys":["type"],"type":"Recreate"},"template":{"spec":{"containers":[{"name":"a"}]}}}}`, []byte{})
	f.Add(place("NetworkPolicy"), `{"spec":{"podSelector":{},"ingress":[{"from":[{"podSelector":{"matchLabels":{"a":"b"}}}]}]}}`,
		`{"spec":{"ingress":[{"from":[{"podSelector":{"matchLabels":{"a":null,"b":"c"}}}]}]}}`, []byte{}) // in a list, nothing is merged
	f.Add(place("Pod"), `{"metadata":{"managedFields":[{}]}}`, `{"metadata":{"managedFields":[{"fieldsV1":1e400}]}}`, []byte{}) // a number that JSON refuses
	f.Add(place("ConfigMap"), `{"data":{"a":"b"},"binaryData":{"a":"YQ=="}}`, `{"data":{"a":null,"c":"d"},"binaryData":{"b":"Yg=="},"immutable":true}`, []byte{})
	for i := range 400 {
		choices := make([]byte, 24+i%40)
		for j := range choices {
			choices[j] = byte((i*7919 + j*104729 + i*j*31) >> 3)
		}
		f.Add(uint8(i), "", "", choices)
	}
	merger := api.NewMerger() // what it has learnt of types must not matter
	f.Fuzz(func(t *testing.T, kind uint8, document, patch string, choices []byte) {
		patchOne(t, merger, all[int(kind)%len(all)], document, patch, choices)
	})
}

// The comparison is worth something only if patches that can be merged in memory are.
func TestPatchesAreMergedInMemory(t *testing.T) {
	r, merger, all, inMemory := sim.NewRand(1), api.NewMerger(), api.AllKinds(), 0
	const n = 2000
	for range n {
		choices := make([]byte, 20+r.IntN(200))
		for i := range choices {
			choices[i] = byte(r.IntN(256))
		}
		if patchOne(t, merger, all[r.IntN(len(all))], "", "", choices) {
			inMemory++
		}
	}
	if inMemory < n/2 {
		t.Errorf("%d of %d", inMemory, n)
	}
}

// patchOne makes what is not given of choices, and compares.
func patchOne(t *testing.T, merger *api.Merger, k *api.Kind, document, patch string, choices []byte) (inMemory bool) {
	t.Helper()
	c := &chooser{data: choices, left: 60}
	typ := reflect.TypeOf(k.New()).Elem()
	if document == "" {
		c.deep = c.among(6)
		document = c.object(typ, nil, false)
	}
	old, err := api.DecodeStrict([]byte(document), &k.GroupVersionKind)
	if err != nil || reflect.TypeOf(old).Elem() != typ {
		return false
	}
	api.SetKind(old)
	text, err := api.Encode(old)
	if err != nil {
		return false
	}
	if old, err = api.DecodeStrict(text, nil); err != nil { // what is stored comes from JSON
		return false
	}
	if patch == "" {
		var of any
		_ = json.Unmarshal(text, &of)
		c.left, c.deep, c.odd = 60, c.among(6), max(0, c.among(4)-1)
		patch = c.object(typ, of, true)
	}
	return comparePatched(t, merger, k, old, patch)
}

// comparePatched patches an object in each way that there is, and says whether it was done in memory.
func comparePatched(t *testing.T, merger *api.Merger, k *api.Kind, old api.Object, patch string) (inMemory bool) {
	t.Helper()
	before, _ := api.Encode(old)
	for _, how := range []types.PatchType{types.MergePatchType, types.StrategicMergePatchType} {
		for _, validation := range []string{metav1.FieldValidationStrict, metav1.FieldValidationWarn} {
			newCall := func() *call {
				return &call{Call: &transport.Call{Request: &client.Request{PatchType: how, Patch: []byte(patch), FieldValidation: validation}}}
			}
			jsonCall, typedCall := newCall(), newCall()
			want, wantErr := applyPatchToJSON(jsonCall, nil, k.GroupVersionKind, old)
			got, err := (&Server{merger: merger}).applyPatch(typedCall, nil, k.GroupVersionKind, old)
			sameOutcome(t, "in memory", how, before, patch, got, err, want, wantErr)
			if !reflect.DeepEqual(typedCall.Call, jsonCall.Call) {
				t.Errorf("%s %s of %s: other warnings than through JSON", how, patch, before)
			}
			if part, ok := applyPatchToPart(newCall(), k.GroupVersionKind, old); ok {
				sameOutcome(t, "a part", how, before, patch, part, nil, want, wantErr)
			}
			inMemory = inMemory || merger.Merge(old.DeepCopyObject(), []byte(patch), how == types.StrategicMergePatchType)
			if after, _ := api.Encode(old); string(after) != string(before) {
				t.Fatalf("%s %s of %s: the patched object was changed itself: %s", how, patch, before, after)
			}
		}
	}
	return inMemory
}

func sameOutcome(t *testing.T, way string, how types.PatchType, before []byte, patch string, got api.Object, err error, want api.Object, wantErr error) {
	t.Helper()
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("%s %s of %s, %s: %v, through JSON: %v", how, patch, before, way, err, wantErr)
	}
	if err != nil {
		return
	}
	a, _ := api.Encode(got)
	b, _ := api.Encode(want)
	if string(a) != string(b) || !reflect.DeepEqual(got, want) {
		t.Fatalf("%s %s\nof           %s\n%-12s %s\nthrough JSON %s", how, patch, before, way, a, b)
	}
}
