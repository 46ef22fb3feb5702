package api_test

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
)

// TestDecodeStrictWords holds what a real API server said (see the recorded transcript of bad input).
func TestDecodeStrictWords(t *testing.T) {
	rs := func(spec string) string {
		return `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web"},"spec":` + spec + `}`
	}
	tests := []struct{ name, json, want string }{
		{"unknown fields", rs(`{"replica":3,"template":{"spec":{"containers":[{"name":"web","imagePullPolcy":"Always"}]}}}`),
			`strict decoding error: unknown field "spec.replica", unknown field "spec.template.spec.containers[0].imagePullPolcy"`},
		{"wrong type", rs(`{"replicas":"many"}`),
			`json: cannot unmarshal string into Go struct field ReplicaSetSpec.spec.replicas of type int32`},
		{"wrong named type", `{"apiVersion":"v1","kind":"Pod","status":{"phase":1}}`,
			`json: cannot unmarshal number into Go struct field PodStatus.status.phase of type v1.PodPhase`},
		{"duplicate field", `{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1"},"data":{"b":"2"}}`,
			`strict decoding error: duplicate field "data"`},
		{"duplicate key of a map", `{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1","a":"2"}}`,
			`strict decoding error: duplicate field "data.a"`},
		{"other case", rs(`{"Replicas":3}`), `strict decoding error: unknown field "spec.Replicas"`},
		{"no kind", `{"apiVersion":"v1"}`, `Object 'Kind' is missing in '{"apiVersion":"v1"}'`},
		{"no version", `{"kind":"Pod"}`, `Object 'apiVersion' is missing in '{"kind":"Pod"}'`},
		{"unknown kind", `{"apiVersion":"example.com/v1","kind":"Foo"}`,
			`no kind "Foo" is registered for version "example.com/v1" in scheme "pkg/api/legacyscheme/scheme.go:30"`},
		{"no JSON", `{`, `couldn't get version/kind; json parse error: unexpected end of JSON input`},
		{"bad quantity", `{"apiVersion":"v1","kind":"Node","status":{"capacity":{"cpu":"much"}}}`,
			`quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`},
	}
	for _, tt := range tests {
		_, err := api.DecodeStrict([]byte(tt.json), nil)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: DecodeStrict(%s)\n got %v\nwant %s", tt.name, tt.json, err, tt.want)
		}
		var decode *api.DecodeError
		if !errors.As(err, &decode) {
			t.Errorf("%s: error is a %T, want a *DecodeError", tt.name, err)
		}
	}
}

func TestDecodeTellsWhatItWas(t *testing.T) {
	_, err := api.DecodeStrict([]byte(`{"kind":"ReplicaSet","spec":{"replica":1}}`), &api.GroupVersionKind{Group: "apps", Version: "v1", Kind: "ReplicaSet"})
	var decode *api.DecodeError
	var strict *api.StrictError
	if !errors.As(err, &decode) || decode.GVK.String() != "apps/v1, Kind=ReplicaSet" {
		t.Errorf("error %v, want a *DecodeError of apps/v1, Kind=ReplicaSet", err)
	}
	if !errors.As(err, &strict) || len(strict.Fields) != 1 || strict.Fields[0].Path != "spec.replica" {
		t.Errorf("error %v, want a *StrictError with spec.replica", err)
	}
}

func TestDecodeLeavesUnknownFieldsOut(t *testing.T) {
	obj, strict, err := api.Decode([]byte(`{"apiVersion":"v1","kind":"Pod","Metadata":{"name":"x"},"spec":{"nodeName":"n","NodeName":"m"}}`), nil)
	if err != nil || strict == nil || len(strict.Fields) != 2 {
		t.Fatalf("strict %v, error %v, want two unknown fields", strict, err)
	}
	if pod := obj.(*corev1.Pod); pod.Name != "" || pod.Spec.NodeName != "n" {
		t.Errorf("name %q, node %q, want none and n", pod.Name, pod.Spec.NodeName)
	}
}

// TestRoundTrip reads a Pod that uses a little of everything, and writes it back to the byte.
func TestRoundTrip(t *testing.T) {
	manifest, err := os.ReadFile("testdata/pod.json")
	if err != nil {
		t.Fatal(err)
	}
	manifest = bytes.TrimSpace(manifest)
	obj, err := api.DecodeStrict(manifest, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := api.Encode(obj)
	if err != nil || !bytes.Equal(got, manifest) {
		t.Errorf("error %v, got\n%s\nwant\n%s", err, got, manifest)
	}
	clone := obj.DeepCopyObject()
	if !api.Equal(obj, clone) {
		t.Error("a deep copy is not equal")
	}
	clone.(*corev1.Pod).Spec.Containers[0].Resources.Limits[corev1.ResourceCPU] = corev1.ResourceList{}[corev1.ResourceCPU]
	clone.(*corev1.Pod).Labels["app"] = "other"
	if again, _ := api.Encode(obj); !bytes.Equal(again, manifest) {
		t.Error("changing a deep copy changed the original")
	}
	if api.Equal(obj, clone) {
		t.Error("a changed copy is equal")
	}
}

func TestEqual(t *testing.T) {
	read := func(s string) api.Object {
		obj, err := api.DecodeStrict([]byte(s), &api.GroupVersionKind{Version: "v1", Kind: "Pod"})
		if err != nil {
			t.Fatal(err)
		}
		return obj
	}
	tests := []struct {
		a, b string
		want bool
	}{
		{`{}`, `{"metadata":{"labels":{},"finalizers":[]}}`, true},
		{`{"spec":{"overhead":{"cpu":"1"}}}`, `{"spec":{"overhead":{"cpu":"1000m"}}}`, true},
		{`{"spec":{"overhead":{"cpu":"1"}}}`, `{"spec":{"overhead":{"cpu":"2"}}}`, false},
		{`{"metadata":{"creationTimestamp":"2026-01-01T01:00:00+01:00"}}`, `{"metadata":{"creationTimestamp":"2026-01-01T00:00:00Z"}}`, true},
		{`{"spec":{"securityContext":{}}}`, `{}`, false},
		{`{"metadata":{"labels":{"a":""}}}`, `{"metadata":{"labels":{"b":""}}}`, false},
		{`{"metadata":{"managedFields":[{"fieldsV1":{"f:a":{}}}]}}`, `{"metadata":{"managedFields":[{"fieldsV1":{"f:b":{}}}]}}`, false},
	}
	for _, tt := range tests {
		if got := api.Equal(read(tt.a), read(tt.b)); got != tt.want {
			t.Errorf("Equal(%s, %s) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
	if api.Equal(new(corev1.Pod), new(corev1.Node)) {
		t.Error("an empty Pod equals an empty Node")
	}
}

func TestDecodeIntoOptions(t *testing.T) {
	var o metav1.DeleteOptions
	strict, err := api.DecodeInto([]byte(`{"propagationPolicy":"Background","preconditions":{"uid":"u"}}`), &o)
	if strict != nil || err != nil || *o.PropagationPolicy != metav1.DeletePropagationBackground || *o.Preconditions.UID != "u" {
		t.Errorf("got %+v, %v, %v", o, strict, err)
	}
}

func FuzzDecodeStrict(f *testing.F) {
	manifest, err := os.ReadFile("testdata/pod.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(manifest)
	f.Add([]byte(`{"apiVersion":"apps/v1","kind":"ReplicaSet","spec":{"replica":1,"x":[{"y":"\u00e9\\"}]}}`))
	f.Add([]byte(" {\"kind\" : \"ConfigMap\", \"apiVersion\":\"v1\",\n\"data\":{\"a\":null}} "))
	f.Fuzz(func(t *testing.T, data []byte) {
		obj, err := api.DecodeStrict(data, &api.GroupVersionKind{Version: "v1", Kind: "Pod"})
		if err != nil {
			return
		}
		out, err := api.Encode(obj)
		if err != nil {
			// A year beyond 9999 and the like: JSON reads it and can't write it.
			return
		}
		again, err := api.DecodeStrict(out, nil)
		if err != nil {
			t.Fatalf("%q became %q: %v", data, out, err)
		}
		twice, _ := api.Encode(again)
		if !bytes.Equal(out, twice) {
			t.Fatalf("%q became %q, then %q", data, out, twice)
		}
	})
}
