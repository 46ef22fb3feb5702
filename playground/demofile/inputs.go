package demofile

import (
	"math"

	"kubewalk/playground/cluster"
	"kubewalk/playground/scenario"
)

// doing is one thing that a step can do.
type doing struct {
	// key is what it stands under, and the input's kind.
	key string
	// read reads the value into the input, and returns the name of the manifest
	// that it uses, if it does.
	read func(*action) (manifest string)
}

// doings are all of them, in the order in which messages list them. Each kind
// of input has one line.
var doings = []doing{
	{"apply", (*action).manifestOf},
	{"create", (*action).manifestOf},
	{"kubectl", (*action).command},
	{"scale", (*action).scale},
	{"delete", (*action).delete},
	{"kill-node", (*action).node},
	{"start-node", (*action).node},
	{"drop-watch", (*action).dropWatch},
	{"stop", (*action).component},
	{"start", (*action).component},
	{"crash-container", (*action).crashContainer},
	{"use-memory", (*action).useMemory},
	{"use-cpu", (*action).useCPU},
	{"registry-down", (*action).registry},
	{"registry-up", (*action).registry},
	{"lose-image", (*action).image},
	{"restore-image", (*action).image},
	{"fill-memory", (*action).fillMemory},
	{"fill-disk", (*action).fillDisk},
	{"slow-kubelet", (*action).slowKubelet},
	{"partition", (*action).partition},
	{"slow", (*action).slow},
	{"fail", (*action).failing},
	{"heal", (*action).heal},
	{"load", (*action).load},
	{"set-metric", (*action).setMetric},
	{"request", (*action).request},
	{"own", (*action).own},
	{"reconfigure", (*action).reconfigure},
}

func does() (keys []string) {
	for _, d := range doings {
		keys = append(keys, d.key)
	}
	return keys
}

// action is a step's deed as it is read.
type action struct {
	*builder
	*cluster.Input
	value     value            // what stands under the key
	step      map[string]value // the whole step
	scenario  *scenario.Scenario
	manifests map[string]*manifest
}

// manifestOf reads the name of a manifest: apply: web.
func (a *action) manifestOf() string {
	name := a.value.oneOf("manifest", sorted(a.manifests))
	if used := a.manifests[name]; used != nil {
		used.used, a.Manifest = true, used.text
	}
	return name
}

func (a *action) scale() string {
	const example = "{replicaset: web, replicas: 8}"
	rest := a.object(a.value, a.Input, example, "replicas")
	if n := rest["replicas"]; n.there() {
		// A negative number may be what the step is about: kubectl says no.
		replicas := int32(n.whole("replicas", math.MinInt32, math.MaxInt32))
		a.Replicas = &replicas
	} else {
		a.fail(a.value.key, "scale needs replicas, as in %s", example)
	}
	return ""
}

func (a *action) delete() string {
	rest := a.object(a.value, a.Input, "{pod: web-*}", "grace")
	if n := rest["grace"]; n.there() {
		grace := n.whole("grace", 0, math.MaxInt32)
		a.Grace = &grace
	}
	return ""
}

func (a *action) node() string {
	a.Node = a.value.oneOf("node", nodeNames(a.scenario))
	return ""
}

func (a *action) component() string {
	a.Component = a.value.oneOf("component", stoppable(a.scenario))
	return ""
}

func (a *action) dropWatch() string {
	const example = "{client: replicaset-controller, resource: pods}"
	watch := a.value.mapping("drop-watch", example, "client", "resource")
	if client := watch["client"]; client.there() {
		a.Component = client.oneOf("component", a.scenario.Cluster.Components())
	} else {
		a.fail(a.value.key, "drop-watch needs a client, as in %s", example)
	}
	a.Resource = watch["resource"].resource()
	return ""
}
