package apiserver

import (
	"fmt"
	"strings"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// TestCoreWords checks what a real server says to mistakes in quotas, limit
// ranges, Secrets, Endpoints, Namespaces, Events and Leases.
func TestCoreWords(t *testing.T) {
	quota := func(spec string) string { return `{"metadata":{"name":"q"},"spec":` + spec + `}` }
	limits := func(item string) string { return `{"metadata":{"name":"l"},"spec":{"limits":[` + item + `]}}` }
	const item = "spec.limits[0]."
	for _, c := range []struct {
		resource, body, want string
	}{
		{"resourcequotas", quota(`{"hard":{"pods":"1","count/deployments.apps":"2","requests.example.com/gpu":"1","hugepages-2Mi":"4Mi"}}`), ""},
		{"resourcequotas", quota(`{"hard":{"pod":"1"}}`),
			`[spec.hard[pod]: Invalid value: "pod": must be a standard resource type or fully qualified, spec.hard[pod]: Invalid value: "pod": must be a standard resource for quota]`},
		{"resourcequotas", quota(`{"hard":{"cpu":"-1"}}`), `spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0`},
		{"resourcequotas", quota(`{"hard":{"pods":"1500m"}}`), `spec.hard[pods]: Invalid value: "1500m": must be an integer`},
		{"resourcequotas", quota(`{"hard":{"services":"1"},"scopes":["BestEffort"]}`),
			`spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource`},
		{"resourcequotas", quota(`{"hard":{"pods":"1"},"scopes":["Terminating","NotTerminating"]}`),
			`spec.scopes: Invalid value: ["Terminating","NotTerminating"]: conflicting scopes`},
		{"resourcequotas", quota(`{"hard":{"pods":"1"},"scopes":["Sometimes"]}`), `spec.scopes: Invalid value: ["Sometimes"]: unsupported scope`},
		{"resourcequotas", quota(`{"hard":{"pods":"1"},"scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass","operator":"In"}]}}`),
			"spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"},
		{"limitranges", limits(`{"type":"Container","max":{"cpu":"1"},"min":{"cpu":"100m"}}`), ""},
		{"limitranges", limits(`{"type":"Container","max":{"cpu":"1"},"min":{"cpu":"2"}}`),
			`[` + item + `min[cpu]: Invalid value: "2": min value 2 is greater than max value 1`},
		{"limitranges", limits(`{"type":"Pod","default":{"cpu":"1"}}`), item + "default: Forbidden: may not be specified when `type` is 'Pod'"},
		{"limitranges", limits(`{"type":"Node"}`), item + `type: Invalid value: "Node": must be a standard limit type or fully qualified`},
		{"limitranges", limits(`{"type":"Container","max":{"pods":"1"}}`),
			`[` + item + `max[pods]: Invalid value: "pods": must be a standard resource for containers`},
		{"limitranges", limits(`{"type":"PersistentVolumeClaim"}`),
			item + `limits: Required value: either minimum or maximum storage value is required, but neither was provided`},
		{"limitranges", limits(`{"type":"Pod","max":{"cpu":"3"},"min":{"cpu":"2"},"maxLimitRequestRatio":{"cpu":"2"}}`),
			item + `maxLimitRequestRatio[cpu]: Invalid value: "2": ratio 2 is greater than max/min = 1.500000`},
		{"limitranges", limits(`{"type":"Pod","max":{"cpu":"4"},"min":{"cpu":"2"},"maxLimitRequestRatio":{"cpu":"2"}}`), ""},
		{"secrets", `{"metadata":{"name":"s"},"type":"kubernetes.io/tls","data":{"tls.crt":""}}`, `data[tls.key]: Required value`},
		{"secrets", `{"metadata":{"name":"s"},"type":"kubernetes.io/basic-auth"}`, `[data[username]: Required value, data[password]: Required value]`},
		{"secrets", `{"metadata":{"name":"s"},"type":"kubernetes.io/basic-auth","stringData":{"password":"x"}}`, ""},
		{"secrets", `{"metadata":{"name":"s"},"type":"kubernetes.io/service-account-token"}`,
			`metadata.annotations[kubernetes.io/service-account.name]: Required value`},
		{"secrets", `{"metadata":{"name":"s"},"type":"kubernetes.io/dockerconfigjson","stringData":{".dockerconfigjson":"{"}}`,
			`data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": unexpected end of JSON input`},
		{"endpoints", `{"metadata":{"name":"e"},"subsets":[{}]}`, "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"},
		{"endpoints", `{"metadata":{"name":"e"},"subsets":[{"addresses":[{"ip":"10.1.2.3"}],"ports":[{"port":80},{"port":0,"name":"b"}]}]}`,
			`[subsets[0].ports[0].name: Required value, subsets[0].ports[1].port: Invalid value: 0: must be between 1 and 65535, inclusive]`},
		{"namespaces", `{"metadata":{"name":"Team"}}`, `metadata.name: Invalid value: "Team": a lowercase RFC 1123 label must consist of`},
		{"events", `{"metadata":{"name":"e"},"involvedObject":{"namespace":"elsewhere"}}`,
			`involvedObject.namespace: Invalid value: "elsewhere": does not match event.namespace`},
		{"leases", `{"metadata":{"name":"l"},"spec":{"leaseDurationSeconds":0}}`, `spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0`},
		{"nodes", `{"metadata":{"name":"n"},"spec":{"podCIDRs":["10.0.0.0"]}}`, `spec.podCIDRs[0]: Invalid value: "10.0.0.0": must be a valid CIDR value`},
	} {
		w := newWorld(t, trace.Off)
		w.run(func(p *sim.Proc) {
			kind := api.Resolve(c.resource)
			r := &client.Request{Verb: client.Create, Resource: kind.GroupVersionResource(), Body: []byte(c.body)}
			if kind.Namespaced {
				r.Namespace = "default"
			}
			_, err := w.do(p, r)
			_, after, _ := strings.Cut(fmt.Sprint(err), " is invalid: ")
			if c.want == "" && err != nil || !strings.HasPrefix(after, c.want) {
				t.Errorf("%s\ngot  %v\nwant %s", c.body, err, c.want)
			}
		})
	}
}
