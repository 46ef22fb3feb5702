package demofile

import (
	"math"

	"kubewalk/playground/cluster"
	"kubewalk/playground/cluster/suggest"
	"kubewalk/playground/demo/scenario"
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
	{"apply", text, "applies a manifest, by its name under `manifests`", true, (*action).manifestOf},
	{"create", text, "creates the manifest's object; fails if it already exists", true, (*action).manifestOf},
	{"kubectl", text, "runs a kubectl command line: `set image rs/web web=nginx:1.28`, or `apply -f web` with the name of a manifest. `get --watch` goes on until the next `kubectl` step", false,
		(*action).command},
	{"scale", of(scaleForm), "sets an object's [replicas](#scale)", false, (*action).scale},
	{"delete", of(deleteForm), "deletes [an object](#delete), or the first of `web-*`", false, (*action).delete},
	{"kill-node", text, "switches a node off", false, (*action).node},
	{"start-node", text, "switches a node on again", false, (*action).node},
	{"drop-watch", of(dropWatchForm), "breaks [a watch](#drop-watch); the client then starts a new one", false, (*action).dropWatch},
	{"stop", text, "kills a component: `kube-scheduler`, `replicaset-controller`, `kubelet/node-1`", false, (*action).component},
	{"start", text, "starts a component again", false, (*action).component},
	{"crash-container", of(crashForm), "makes [a container](#crash-container) exit", false, (*action).crashContainer},
	{"use-memory", of(useMemoryForm), "makes a container use [memory](#use-memory), possibly more than its limit", false, (*action).useMemory},
	{"use-cpu", of(useCPUForm), "makes a container use [CPU](#use-cpu)", true, (*action).useCPU},
	{"registry-down", only, "`true`: no image can be pulled", false, (*action).registry},
	{"registry-up", only, "`true`: images can be pulled again", false, (*action).registry},
	{"lose-image", text, "removes an image from the registry: `nginx:1.28`", false, (*action).image},
	{"restore-image", text, "puts an image back into the registry", false, (*action).image},
	{"fill-memory", of(fillMemoryForm), "fills [a node's memory](#fill-memory)", false, (*action).fillMemory},
	{"fill-disk", of(fillDiskForm), "fills [a node's disk](#fill-disk)", false, (*action).fillDisk},
	{"slow-kubelet", of(slowKubelet), "makes [a kubelet](#slow-kubelet) slow", false, (*action).slowKubelet},
	{"terminate-instance", text, "gives a node's machine back to the cloud, for good; requires `cloud: true`", false, (*action).node},
	{"partition", text, "cuts a node or a component off from the network, until `heal`", false, (*action).partition},
	{"slow", of(slowForm), "makes [a component](#slow) slow, until `heal`", false, (*action).slow},
	{"fail", either(text, of(failForm)), "makes a component crash whenever it has work to do, or [a server return errors](#fail), until `heal`", false,
		(*action).failing},
	{"heal", either(text, of(healForm)), "ends the faults of a node or a component, or [one of them](#heal)", false, (*action).heal},
	{"load", of(loadForm), "puts [a CPU load](#load) on the Pods of an object", false, (*action).load},
	{"set-metric", of(outsideMetricForm), "sets the value of [a metric](#set-metric), for autoscalers", false, (*action).setMetric},
	{"request", either(text, of(requestForm)), "sends an HTTP request: a URL, or [a URL and where the request comes from](#request); requires `network: true`",
		false, (*action).request},
	{"api-request", of(apiRequestForm), "sends [a request](#api-request) to the API server, as a program does; `kubewalk cluster --save` writes such steps", true,
		(*action).apiRequest},
	{"type", either(text, of(typeForm)), "types a line to the command that goes on, which is `kubectl exec -it`, or to [that of a connection](#type)",
		true, (*action).typed},
	{"own", of(ownForm), "makes [an object](#own) the owner of another", true, (*action).own},
	{"reconfigure", profiles, "restarts the schedulers with a list of profiles, as in `schedulerProfiles`", true, (*action).reconfigure},
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
	name := a.value.OneOf("manifest", sorted(a.manifests))
	if used := a.manifests[name]; used != nil {
		used.used, a.Manifest = true, used.text
	} else if meant := a.manifests[suggest.Nearest(a.value.Text("manifest"), sorted(a.manifests))]; meant != nil {
		meant.used = true // that nobody applies it is the same mistake
	}
	return name
}

func (a *action) scale() string {
	rest := a.object(a.value, a.Input, scaleForm)
	if n := rest["replicas"]; n.There() {
		// A negative number may be what the step is about: kubectl says no.
		replicas := int32(n.whole("replicas", math.MinInt32, math.MaxInt32))
		a.Replicas = &replicas
	} else {
		a.Fail(a.value.Key, "scale needs replicas, as in %s", scaleForm.example)
	}
	return ""
}

func (a *action) delete() string {
	rest := a.object(a.value, a.Input, deleteForm)
	if n := rest["grace"]; n.There() {
		grace := n.whole("grace", 0, math.MaxInt32)
		a.Grace = &grace
	}
	return ""
}

func (a *action) node() string {
	a.Node = a.value.OneOf("node", nodeNames(a.scenario))
	return ""
}

func (a *action) component() string {
	a.Component = a.value.OneOf("component", stoppable(a.scenario))
	return ""
}

func (a *action) dropWatch() string {
	watch := a.value.mapping(dropWatchForm)
	if client := watch["client"]; client.There() {
		a.Component = client.OneOf("component", a.scenario.Cluster.Components())
	} else {
		a.Fail(a.value.Key, "drop-watch needs a client, as in %s", dropWatchForm.example)
	}
	a.Resource = watch["resource"].resource()
	return ""
}
