package chaos

import (
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/yaml"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// installAt is when what an experiment is about is installed: the API server is there, and nothing has been done yet.
const installAt = time.Second

// install has kubectl apply a list of objects, given as YAML.
func (d *dice) install(at time.Duration, text string, flags ...string) {
	list, err := yaml.ToJSON(text)
	if err != nil {
		panic(err)
	}
	d.add(cluster.Input{At: at, Kind: cluster.Command, Args: append([]string{"apply", "-f", "-"}, flags...), Manifest: list})
}

// kubectl has somebody type a command.
func (d *dice) kubectl(at time.Duration, args ...string) {
	d.add(cluster.Input{At: at, Kind: cluster.Command, Args: args})
}

// atLeast sees to it that there are so many nodes.
func atLeast(n int, cfg *cluster.Config) {
	if len(cfg.Nodes) < n {
		cfg.Nodes = cluster.NumberedNodes(n)
	}
}

// definition is a CustomResourceDefinition of a list that takes everything.
func definition(group, version, kind, scale string) string {
	plural := strings.ToLower(kind) + "s"
	return fmt.Sprintf(`
- apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata:
    name: %[1]s.%[2]s
    annotations: {api-approved.kubernetes.io: unapproved}
  spec:
    group: %[2]s
    scope: Namespaced
    names: {kind: %[4]s, plural: %[1]s}
    versions:
    - name: %[3]s
      served: true
      storage: true
      subresources: {status: {}%[5]s}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
            status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`, plural, group, version, kind, scale)
}

// runs tells whether a component is up.
func runs(s trace.State, component string) bool {
	return s[trace.Cell{Kind: trace.CellComponent, Owner: component}] == "running"
}

// customs are the objects of a kind that a definition adds, by their namespaces and names.
func customs(s trace.State, resource string) map[string]*api.Unstructured {
	out := map[string]*api.Unstructured{}
	for _, c := range s.Cells(trace.CellObject) {
		if o, ok := s[c].(*api.Unstructured); ok && c.Owner == resource {
			out[c.Key] = o
		}
	}
	return out
}

// field reads a field of such an object; nil for none.
func field(o *api.Unstructured, path ...string) any {
	var now any = o.Fields
	for _, key := range path {
		fields, _ := now.(map[string]any)
		now = fields[key]
	}
	return now
}
