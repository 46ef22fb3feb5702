package demofile

import (
	"math"

	"kubewalk/playground/cluster"
	"kubewalk/playground/scenario"
)

// doing is one thing that a step can do.
type doing struct {
	// key is what it stands under, and the input's kind.
	key     string
	is      shape
	doc     string
	authors bool // readers cannot do it by a control
	// read reads the value into the input, and returns the name of the manifest
	// that it uses, if it does.
	read func(*action) (manifest string)
}

// doings are all of them, in the order in which messages list them. Each kind
// of input has one line.
var doings = []doing{
	{"apply", text, "applies a manifest, by its name under manifests", true, (*action).manifestOf},
	{"create", text, "creates its object; a second time it fails", true, (*action).manifestOf},
	{"kubectl", text, "a command line, as it would be typed: `set image rs/web web=nginx:1.28`, `apply -f web` with the name of a manifest", false, (*action).command},
	{"scale", of(scaleForm), "sets an object's [replicas](#scale)", false, (*action).scale},
	{"delete", of(deleteForm), "deletes [an object](#delete), or the first of `web-*`", false, (*action).delete},
	{"kill-node", text, "switches a node off", false, (*action).node},
	{"start-node", text, "and on again", false, (*action).node},
	{"drop-watch", of(dropWatchForm), "breaks [a watch](#drop-watch); the client begins another", false, (*action).dropWatch},
	{"stop", text, "kills a component: `kube-scheduler`, `replicaset-controller`, `kubelet/node-1`", false, (*action).component},
	{"start", text, "starts it again", false, (*action).component},
	{"crash-container", of(crashForm), "ends [a container](#crash-container)", false, (*action).crashContainer},
	{"use-memory", of(useMemoryForm), "has a container use [memory](#use-memory), perhaps more than its limit", false, (*action).useMemory},
	{"use-cpu", of(useCPUForm), "has a container use [CPU](#use-cpu)", true, (*action).useCPU},
	{"registry-down", only, "`true`: no image can be pulled", false, (*action).registry},
	{"registry-up", only, "`true`: images can be pulled again", false, (*action).registry},
	{"lose-image", text, "the registry has that image no more: `nginx:1.28`", false, (*action).image},
	{"restore-image", text, "and has it again", false, (*action).image},
	{"fill-memory", of(fillMemoryForm), "fills [a node's memory](#fill-memory)", false, (*action).fillMemory},
	{"fill-disk", of(fillDiskForm), "fills [a node's disk](#fill-disk)", false, (*action).fillDisk},
	{"slow-kubelet", of(slowKubelet), "makes [a kubelet](#slow-kubelet) late", false, (*action).slowKubelet},
	{"partition", text, "no packet gets through to a node, or a component; `heal` ends it", false, (*action).partition},
	{"slow", of(slowForm), "makes [a component](#slow) late; `heal` ends it", false, (*action).slow},
	{"fail", either(text, of(failForm)), "a component that crashes at each piece of work, or [what a server answers](#fail); `heal` ends it", false, (*action).failing},
	{"heal", either(text, of(healForm)), "ends the faults of a node or a component, or [one of them](#heal)", false, (*action).heal},
	{"load", of(loadForm), "CPU that is asked of [the Pods](#load) of an object", false, (*action).load},
	{"set-metric", of(outsideMetricForm), "what [a metric](#set-metric) says, for autoscalers", false, (*action).setMetric},
	{"request", either(text, of(requestForm)), "an HTTP request: a URL, or [who asks for it](#request); needs `network: true`", false, (*action).request},
	{"own", of(ownForm), "makes [an object](#own) the owner of another", true, (*action).own},
	{"reconfigure", profiles, "restarts the schedulers with profiles: a list, as in the cluster", true, (*action).reconfigure},
}

func does() (keys []string) {
	for _, d := range doings {
		keys = append(keys, d.key)
	}
	return keys
}

// doingKeys are the keys of a step that say what it does.
func doingKeys() (out []key) {
	for _, d := range doings {
		out = append(out, key{name: d.key, is: d.is, doc: d.doc, deed: true})
	}
	return out
}

// only is what a fault that has nothing to say is written as.
var only = shape{json: object{"const": true}}

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
	rest := a.object(a.value, a.Input, scaleForm)
	if n := rest["replicas"]; n.there() {
		// A negative number may be what the step is about: kubectl says no.
		replicas := int32(n.whole("replicas", math.MinInt32, math.MaxInt32))
		a.Replicas = &replicas
	} else {
		a.fail(a.value.key, "scale needs replicas, as in %s", scaleForm.example)
	}
	return ""
}

func (a *action) delete() string {
	rest := a.object(a.value, a.Input, deleteForm)
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
	watch := a.value.mapping(dropWatchForm)
	if client := watch["client"]; client.there() {
		a.Component = client.oneOf("component", a.scenario.Cluster.Components())
	} else {
		a.fail(a.value.key, "drop-watch needs a client, as in %s", dropWatchForm.example)
	}
	a.Resource = watch["resource"].resource()
	return ""
}
