package apiserver

import (
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// refusal fails the test unless err is the client's fault.
func refusal(t *testing.T, err error) {
	t.Helper()
	e, ok := err.(*apierrors.StatusError)
	if !ok || e.ErrStatus.Code < 400 || e.ErrStatus.Code >= 500 {
		t.Errorf("got %v, want an answer of 400 to 499", err)
	}
}

// FuzzPatch sends patches of any text: none panics the server, and one that is refused changes nothing.
func FuzzPatch(f *testing.F) {
	for _, patch := range []string{
		`[{"op":"replace","path":"/spec/replicas","value":2}]`, `[{"op":"remove","path":"/spec"}]`, `[{"op":"test","path":"/spec/replicas","value":9}]`,
		`[{"op":"copy","from":"/spec","path":"/status"}]`, `[{"op":"add","path":"","value":null}]`, `[{"op":"move","from":"/metadata","path":"/x"}]`, `[null]`,
		`[{}]`, `null`, ``,
		`{"spec":{"replicas":2}}`, `{"spec":null}`, `{"metadata":{"name":"other"}}`, `{"kind":"Pod"}`, `{"apiVersion":"v1","kind":"Pod"}`,
		`{"metadata":{"resourceVersion":"x"}}`,
		`{"metadata":{"namespace":"kube-system"}}`, `{"metadata":{"uid":"x"}}`, `{"spec":{"template":{"spec":{"containers":[null]}}}}`, `{"spec":{"selector":null}}`,
		`5`, `[]`, `{"a":1e999}`,
		`{"metadata":{"finalizers":["a"],"deletionTimestamp":"2026-01-01T00:00:00Z"}}`,
		`{"spec":{"template":{"spec":{"containers":[{"name":"web","$patch":"delete"}]}}}}`,
	} {
		f.Add(patch)
	}
	f.Fuzz(func(t *testing.T, patch string) {
		for _, typ := range []types.PatchType{types.JSONPatchType, types.MergePatchType, types.StrategicMergePatchType} {
			for _, sub := range []string{"", "status", "scale"} {
				w := newWorld(t, trace.Off)
				w.run(func(p *sim.Proc) {
					before := w.must(p, create(rsResource, newRS("web", 1)))
					_, err := w.do(p, &client.Request{Verb: client.Patch, Resource: rsResource, Subresource: sub, Namespace: "default", Name: "web", PatchType: typ,
						Patch: []byte(patch)})
					after := w.st.Current(key(rsResource, "web"))
					if err == nil {
						return
					}
					refusal(t, err)
					if after != before.(api.Object) {
						t.Errorf("a refused patch changed the object: %v", err)
					}
				})
				w.k.Close()
			}
		}
	})
}

// FuzzBody sends bodies of any text: none panics the server, and one that is refused stores nothing.
func FuzzBody(f *testing.F) {
	for _, body := range []string{
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{"containers":[{"name":"web","image":"nginx"}]}}`,
		`{"metadata":{"name":"web"}}`, `{"kind":"Pod"}`, `{"kind":"Node","apiVersion":"v1"}`, `{"kind":"Pod","apiVersion":"v1/v2/v3"}`, `{}`, `null`, `[]`, `5`, ``,
		`{"spec":{"containers":null}}`,
		`{"metadata":{"generateName":"-","labels":null}}`, `{"metadata":{"name":"a","namespace":"b"}}`, `{"metadata":{"name":"x","resourceVersion":"7"}}`,
		`{"spec":{"containers":[{"resources":{"limits":{"cpu":"-1"},"requests":{"cpu":"1","x":"1"}}}],"volumes":[{}]}}`, `{"status":{"phase":"Running"}}`,
		`{"spec":{"containers":[{"livenessProbe":{"httpGet":{},"exec":{}},"env":[{"name":"=","valueFrom":{}}]}]}}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, gvr := range []api.GroupVersionResource{podsResource, rsResource, cmResource} {
			w := newWorld(t, trace.Off)
			w.run(func(p *sim.Proc) {
				before := w.st.Revision()
				_, err := w.do(p, &client.Request{Verb: client.Create, Resource: gvr, Namespace: "default", Body: []byte(body)})
				if err == nil {
					return
				}
				// 500 is upstream's answer to a resourceVersion in a create: nothing else may get one.
				if err.Error() != "resourceVersion should not be set on objects to be created" {
					refusal(t, err)
				}
				if w.st.Revision() != before {
					t.Errorf("a refused body made a revision: %v", err)
				}
			})
			w.k.Close()
		}
	})
}

// FuzzApply applies configurations of any text over what another manager applied: none panics the server, one that is refused
// changes nothing, and one that is taken is taken again without a conflict.
func FuzzApply(f *testing.F) {
	const head = `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web"}`
	for _, config := range []string{
		head + `}`, head + `,"spec":{"replicas":2}}`, head + `,"spec":null}`, head + `,"spec":{"template":{"spec":{"containers":[{"name":"web"}]}}}}`,
		head + `,"spec":{"template":{"spec":{"containers":[{"image":"x"}]}}}}`,
		head + `,"spec":{"template":{"spec":{"containers":[{"name":"a","ports":[{"containerPort":1},{"containerPort":1}]}]}}}}`,
		`{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web","finalizers":["a/b",null],"labels":{"a":null}}}`, head + `,"status":{"replicas":5}}`,
		head + `,"spec":{"template":{"spec":{"tolerations":[{}],"nodeSelector":{}}}}}`, `{}`, `null`, `[]`, ``, `{"apiVersion":"apps/v1"}`,
		head + `,"spec":{"selector":5}}`,
	} {
		f.Add(config, true)
		f.Add(config, false)
	}
	f.Fuzz(func(t *testing.T, config string, force bool) {
		w := newWorld(t, trace.Off)
		w.run(func(p *sim.Proc) {
			before := w.must(p, create(rsResource, newRS("web", 1)))
			r := apply("rs", "fuzzer", "web", config)
			r.Force = force
			_, err := w.do(p, r)
			if err != nil {
				refusal(t, err)
				if w.st.Current(key(rsResource, "web")) != before.(api.Object) {
					t.Errorf("a refused apply changed the object: %v", err)
				}
				return
			}
			if _, err := w.do(p, apply("rs", "fuzzer", "web", config)); err != nil && apierrors.IsConflict(err) {
				t.Errorf("applied again: %v", err)
			}
		})
		w.k.Close()
	})
}
