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

// TestWords checks what a real server says to mistakes that the recording doesn't have.
func TestWords(t *testing.T) {
	pod := func(spec string) string {
		return `{"metadata":{"name":"web"},"spec":` + spec + `}`
	}
	container := func(more string) string {
		return pod(`{"containers":[{"name":"web","image":"nginx"` + more + `}]}`)
	}
	at := `spec.containers[0].`
	for _, c := range []struct {
		resource, body, want string
	}{
		{"pods", container(`,"ports":[{"containerPort":80,"protocol":"HTTP"}]`),
			at + `ports[0].protocol: Unsupported value: "HTTP": supported values: "SCTP", "TCP", "UDP"`},
		{"pods", container(`,"ports":[{"name":"web--","containerPort":80}]`),
			`[` + at + `ports[0].name: Invalid value: "web--": must not contain consecutive hyphens, ` + at + `ports[0].name: Invalid value: "web--": must not begin or end with a hyphen]`},
		{"pods", container(`,"ports":[{}]`), at + `ports[0].containerPort: Required value`},
		{"pods", container(`,"resources":{"limits":{"cpu":"1"},"requests":{"cpu":"2"}}`),
			at + `resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`},
		{"pods", container(`,"resources":{"requests":{"cpus":"2"}}`),
			at + `resources.requests[cpus]: Invalid value: "cpus": must be a standard resource for containers`},
		{"pods", container(`,"resources":{"limits":{"memory":"-1"}}`),
			`[` + at + `resources.limits[memory]: Invalid value: "-1": must be greater than or equal to 0, ` + at + `resources.requests[memory]: Invalid value: "-1": must be greater than or equal to 0]`},
		{"pods", container(`,"env":[{"name":"A=B","value":"x"}]`),
			at + `env[0].name: Invalid value: "A=B": a valid environment variable name must consist only of printable ASCII characters other than '='`},
		{"pods", container(`,"env":[{"value":"x"}]`), at + `env[0].name: Required value`},
		{"pods", container(`,"imagePullPolicy":"Sometimes"`),
			at + `imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"`},
		{"pods", container(`,"livenessProbe":{}`), at + `livenessProbe: Required value: must specify a handler type`},
		{"pods", container(`,"livenessProbe":{"tcpSocket":{"port":0},"successThreshold":2}`),
			`[` + at + `livenessProbe.tcpSocket.port: Invalid value: 0: must be between 1 and 65535, inclusive, ` + at + `livenessProbe.successThreshold: Invalid value: 2: must be 1]`},
		{"pods", container(`,"volumeMounts":[{"name":"data","mountPath":"/data"}]`), at + `volumeMounts[0].name: Not found: "data"`},
		{"pods", pod(`{"volumes":[{"name":"a"}],"containers":[{"name":"web","image":"nginx","volumeMounts":[{"name":"a","mountPath":"/a","mountPropagation":"Bidirectional"}]}]}`),
			at + `volumeMounts[0].mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers`},
		{"pods", pod(`{"volumes":[{"name":"a"},{"name":"a"}],"containers":[{"name":"web","image":"nginx"}]}`), `spec.volumes[1].name: Duplicate value: "a"`},
		{"pods", pod(`{"nodeName":"Node_1","containers":[{"name":"web","image":" nginx"}]}`),
			`[` + at + `image: Invalid value: " nginx": must not have leading or trailing whitespace, spec.nodeName: Invalid value: "Node_1": a lowercase RFC 1123 subdomain must consist`},
		{"pods", pod(`{"hostNetwork":true,"setHostnameAsFQDN":true,"hostnameOverride":"a_b","containers":[{"name":"web","image":"nginx"}]}`),
			"[spec.hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true, " +
				"spec.hostnameOverride: Forbidden: may not be specified when hostNetwork is true, spec.hostnameOverride: Invalid value: \"a_b\": a lowercase RFC 1123 subdomain"},
		{"pods", `{"metadata":{"name":"web","ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"a","uid":""}]},"spec":{"containers":[{"name":"web","image":"nginx"}]}}`, `metadata.ownerReferences.uid: Invalid value: "": must not be empty`},
		{"pods", `{"spec":{"containers":[{"name":"web","image":"nginx"}]}}`, `metadata.name: Required value: name or generateName is required`},
		{"replicasets", `{"metadata":{"name":"web"},"spec":{"selector":{},"template":{"spec":{"containers":[{"name":"web","image":"nginx"}]}}}}`,
			`spec.selector: Invalid value: {}: empty selector is invalid for deployment`},
		{"replicasets", `{"metadata":{"name":"web"},"spec":{"template":{"spec":{"containers":[{"name":"web","image":"nginx"}]}}}}`,
			"[spec.selector: Required value, spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`]"},
		{"replicasets", `{"metadata":{"name":"web"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Never","containers":[{"name":"web","image":"nginx"}]}}}}`, `spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"`},
		{"configmaps", `{"metadata":{"name":"c"},"data":{"a b":"x"}}`,
			`data[a b]: Invalid value: "a b": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`},
		{"nodes", `{"metadata":{"name":"n"},"spec":{"taints":[{"key":"a","effect":"Sometimes"}]}}`,
			`spec.taints[0].effect: Unsupported value: "Sometimes": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"`},
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
			if !strings.HasPrefix(after, c.want) {
				t.Errorf("%s\ngot  %v\nwant %s", c.body, err, c.want)
			}
		})
	}
}
