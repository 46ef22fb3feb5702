package apiserver

import (
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/transport"
)

// A patch that is merged in memory makes what the same patch makes of JSON.
func TestMergeIsWhatJSONWouldBe(t *testing.T) {
	const document = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"default","labels":{"app":"web","tier":"a"},"uid":"u1"},
		"spec":{"nodeName":"n1","containers":[{"name":"web","image":"nginx","resources":{"requests":{"cpu":"100m"}}}],"securityContext":{"runAsUser":5}},
		"status":{"phase":"Pending","startTime":"2026-01-15T09:00:00Z","conditions":[{"type":"Ready","status":"False","lastProbeTime":null,"lastTransitionTime":"2026-01-15T09:00:00Z"}],
		"containerStatuses":[{"name":"web","state":{"waiting":{"reason":"ContainerCreating"}},"lastState":{},"ready":false,"restartCount":0,"image":"nginx","imageID":""}]}}`
	for _, c := range []struct {
		patch        string
		merge, smart bool // whether it is done in memory, as a merge patch and as a strategic one
	}{
		{`{}`, true, true},
		{`{"metadata":{"labels":{"app":null,"x":"é\n\"\u00e9"},"annotations":{"a":"b"}}}`, true, true},
		{`{"metadata":{"labels":{"app":null,"tier":null}}}`, true, true},
		{`{"metadata":{"labels":null,"uid":"u1","deletionGracePeriodSeconds":30}}`, true, true},
		{`{"metadata":{"finalizers":["a/b","c/d"]}}`, true, false},
		{`{"spec":{"terminationGracePeriodSeconds":5,"priority":null,"hostNetwork":true,"securityContext":{"runAsUser":null,"fsGroup":7}}}`, true, true},
		{`{"spec":{"affinity":{"nodeAffinity":{}}}}`, true, true},
		{`{"spec":{"nodeSelector":{"a":"b"}, "containers":[ {"name":"db","image":"pg","resources":{}} ]}}`, true, false},
		{`{"spec":{"containers":[{"name":"db","resources":{"limits":{"cpu":"1"}}}]}}`, false, false},
		{`{"status":{"phase":"Running","startTime":null,"conditions":[{"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":"2026-01-15T09:00:01Z"}]}}`, true, false},
		{`{"status":{"containerStatuses":[{"name":"web","state":{"running":{"startedAt":"2026-01-15T09:00:01Z"}},"lastState":{},"ready":true,"restartCount":1,"image":"nginx","imageID":"x","started":true}],"hostIPs":[{"ip":"10.0.0.1"}]}}`, true, false},
		{`{"status":{"conditions":[]}}`, true, false},
		{`{"status":{"conditions":[null]}}`, true, false},
		{`{"status":{"resources":{"requests":{"cpu":"2"}}}}`, false, false},
		{`{"metadata":{"name":"other"}}`, true, true},
		{`{"metadata":{"Labels":{"app":"x"}}}`, false, false},
		{`{"metadata":{"labels":{"app":"x","app":"y"}}}`, false, false},
		{`{"spec":{"priority":"high"}}`, false, false},
		{`{"spec":{"priority":5000000000}}`, false, false},
		{`{"spec":5}`, false, false},
		{`{"spec":null}`, true, true},
		{`{"spec":{"$retainKeys":["nodeName"],"nodeName":"n2"}}`, false, false},
		{`{"metadata":{"labels":{"$patch":"replace","a":"b"}}}`, true, false},
		{`{"kind":"Node"}`, false, false},
		{`null`, false, false},
		{`[]`, false, false},
		{`{`, false, false},
		{``, false, false},
	} {
		for _, typ := range []types.PatchType{types.MergePatchType, types.StrategicMergePatchType} {
			old, err := api.DecodeStrict([]byte(document), nil)
			if err != nil {
				t.Fatal(err)
			}
			strategic, want := typ == types.StrategicMergePatchType, c.merge
			if strategic {
				want = c.smart
			}
			if got := api.NewMerger().Merge(old.DeepCopyObject(), []byte(c.patch), strategic); got != want {
				t.Errorf("%s %s: merged in memory: %v", typ, c.patch, got)
			}
			kind := api.KindOf(old).GroupVersionKind
			r := &call{Call: &transport.Call{Request: &client.Request{PatchType: typ, Patch: []byte(c.patch)}}}
			long, longErr := applyPatchToJSON(r, nil, kind, old)
			s := &Server{merger: api.NewMerger()}
			short, shortErr := s.applyPatch(r, nil, kind, old)
			if (longErr == nil) != (shortErr == nil) || longErr != nil && longErr.Error() != shortErr.Error() {
				t.Errorf("%s %s: %v, through JSON: %v", typ, c.patch, shortErr, longErr)
				continue
			}
			if longErr != nil {
				continue
			}
			a, _ := api.Encode(short)
			b, _ := api.Encode(long)
			if string(a) != string(b) {
				t.Errorf("%s %s:\n%s\nthrough JSON:\n%s", typ, c.patch, a, b)
			}
		}
	}
}
