package apiserver

import (
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// A generation counts what somebody wants of an object, from 1 on: not what is said about it, and not its status. Some kinds have none.
// Upstream: PrepareForCreate and PrepareForUpdate in each kind's strategy.go.
func TestGenerations(t *testing.T) {
	const pod = `"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"nginx"}]}}`
	const selector = `"selector":{"matchLabels":{"a":"b"}}`
	const annotated = `{"metadata":{"annotations":{"x":"y"}}}`
	type step struct {
		patch string
		want  int64
	}
	for _, c := range []struct {
		resource, body string
		created        int64
		steps          []step
	}{
		{"endpointslices", `{"metadata":{"name":"x"},"addressType":"IPv4","endpoints":[]}`, 1, []step{{annotated, 1}, {`{"metadata":{"labels":{"a":"b"}}}`, 2},
			{`{"endpoints":[{"addresses":["10.1.2.3"]}]}`, 3}, {`{"ports":[{"name":"http","port":80}]}`, 4}}},
		{"replicationcontrollers", `{"metadata":{"name":"x"},"spec":{"selector":{"a":"b"},` + pod + `}}`, 1,
			[]step{{annotated, 1}, {`{"spec":{"replicas":3}}`, 2},
				{`{"spec":{"minReadySeconds":5}}`, 3}}},
		{"deployments", `{"metadata":{"name":"x"},"spec":{` + selector + `,` + pod + `}}`, 1,
			[]step{{`{"spec":{"replicas":3}}`, 2}, {`{"metadata":{"labels":{"a":"b"}}}`, 2}, {annotated, 3}}},
		{"statefulsets", `{"metadata":{"name":"x"},"spec":{"serviceName":"s",` + selector + `,` + pod + `}}`, 1,
			[]step{{annotated, 1}, {`{"spec":{"replicas":3}}`, 2}}},
		{"daemonsets", `{"metadata":{"name":"x"},"spec":{` + selector + `,` + pod + `}}`, 1,
			[]step{{annotated, 1}, {`{"spec":{"minReadySeconds":3}}`, 2}}},
		{"cronjobs", `{"metadata":{"name":"x"},"spec":{"schedule":"* * * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never",` +
			`"containers":[{"name":"c","image":"nginx"}]}}}}}}`, 1, []step{{annotated, 1}, {`{"spec":{"suspend":true}}`, 2}}},
		{"networkpolicies", `{"metadata":{"name":"x"},"spec":{"podSelector":{}}}`, 1,
			[]step{{annotated, 1}, {`{"spec":{"podSelector":{"matchLabels":{"a":"b"}}}}`, 2}}},
		{"poddisruptionbudgets", `{"metadata":{"name":"x"},"spec":{"minAvailable":1,` + selector + `}}`, 1,
			[]step{{annotated, 1}, {`{"spec":{"minAvailable":2}}`, 2}}},
		{"configmaps", `{"metadata":{"name":"x"}}`, 0, []step{{`{"data":{"a":"b"}}`, 0}}},
	} {
		t.Run(c.resource, func(t *testing.T) {
			w := newWorld(t, trace.Off)
			w.run(func(p *sim.Proc) {
				r := post(c.resource, c.body)
				if got := w.must(p, r).(api.Object).GetGeneration(); got != c.created {
					t.Errorf("created with generation %d, want %d", got, c.created)
				}
				for _, s := range c.steps {
					got := w.must(p, &client.Request{Verb: client.Patch, Resource: r.Resource, Namespace: "default", Name: "x", PatchType: types.MergePatchType,
						Patch: []byte(s.patch)}).(api.Object).GetGeneration()
					if got != s.want {
						t.Errorf("after %s it is %d, want %d", s.patch, got, s.want)
					}
				}
			})
		})
	}
}
