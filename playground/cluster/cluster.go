// Package cluster wires a control plane and its nodes, and does to them what
// people and bad luck do.
//
// Everything that happens to a cluster from outside is an Input. The seed, the
// configuration and the list of inputs are a whole experiment: they give the
// same trace on every host.
package cluster

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/managedfields"
	"kubewalk/playground/controlplane/apiserver"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/cloud"
	"kubewalk/playground/controlplane/controller/manager"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/kubectl"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/node/kwok"
	"kubewalk/playground/node/metrics"
	"kubewalk/playground/node/network"
	"kubewalk/playground/operator/controllerruntime/webhook"
	"kubewalk/playground/operator/kubebuilder"
	"kubewalk/playground/operator/podlogger"
	"kubewalk/playground/operator/samplecontroller"
	"kubewalk/playground/operator/secretdistributor"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Cluster is a running cluster. It is not safe for use by more than one goroutine.
type Cluster struct {
	config  Config
	kernel  *sim.Kernel
	store   *store.Store
	server  *apiserver.Server
	kubectl *sim.Component
	fabric  *network.Fabric // nil without a network
	byName  map[string]*part
	results []Outcome
	// scheduled are the inputs on the agenda, as in results.
	scheduled   []*sim.Timer
	connections connections                   // that inputs opened
	waiting     map[int]func(Outcome, Answer) // who wants to know what becomes of an input, by its place in results: see Give
	faulty      client.Transport              // what a switch has made of the way to the API server; nil without one
	observe     func(client.Transport) client.Transport
	terminal    kubectl.Terminal
	discovery   kubectl.Discovery // what the reader's kubectl remembers of the API

	faults   []standing                // that go on until they are healed
	managers func() []*manager.Manager // controller managers, as they were started last; nil for one that was not yet

	boxes     []*box // the nodes' machines
	kwok      *kwok.Controller
	unpowered map[string]bool // hollow nodes without power
	hub       *cri.Hub        // where all nodes pull images from
	storage   *cri.Disk       // where PersistentVolumes are

	cloud  *cloud.Cloud // nil for none
	outage cloud.Outage // of the cloud
	toys   toys         // the machines of the toy cloud

	drivers storageDrivers // what CSI drivers have outside of their programs
	install installation   // by kubeadm

	stdout           podlogger.Stdout           // where the work-queue example prints
	mistakes         samplecontroller.Mistakes  // in the sample controller
	websiteMistakes  kubebuilder.Mistakes       // in the operator of Websites
	secretMistakes   secretdistributor.Mistakes // in the distributor of Secrets
	websiteWebhooks  webhook.Server             // of the same
	accurateWebhooks webhook.Server             // of Accurate
	guest            *guest                     // shell-operator in its Pod; nil before the first

	managed   struct{ of, copy api.Object } // what a watch from outside was shown last
	remembers bool                          // see RememberOwners

	census *census // nil where the trace keeps commits

	metrics []*metrics.Server // in their Pods, the first as component metrics-server; those that are gone stay
	custom  *metrics.Table    // metrics that inputs set
	clients *sim.Component    // who the loads are from; nil before the first
	loads   []load
	loaded  map[string]int64 // what each Pod has to do, by "namespace/name"
	sharing bool
}

// part is a component that can be stopped and started by name.
type part struct {
	name    string
	start   func() error // brings it up; only called when it is down
	stop    func(reason string)
	running func() bool
	ended   func() // is called when it has stopped; nil for nobody
}

// Outcome is what became of an input.
type Outcome struct {
	Input Input
	Done  bool
	// Output is what kubectl printed; Error what it, or the cluster, said
	// because it failed. Warning is what kubectl printed to standard error
	// though it did not fail.
	Output, Error, Warning string
}

// New makes a cluster whose programs start as virtual time begins to pass.
func New(config Config, seed uint64) *Cluster { return NewObserved(config, seed, nil) }

// NewObserved is New with somebody between all clients and the API server: observe is given the way there, and returns what is called
// instead. It is asked again for each client. A check that looks at requests and their answers changes none of them.
func NewObserved(config Config, seed uint64, observe func(client.Transport) client.Transport) *Cluster {
	c := &Cluster{
		observe: observe,
		config:  config,
		kernel:  sim.New(seed, config.Epoch, trace.NewRecorder(config.Trace)),
		byName:  map[string]*part{},
		hub:     cri.NewHub(nil), storage: cri.NewDisk(),
		unpowered: map[string]bool{},
	}
	if config.Network {
		c.fabric = network.New(c.kernel)
	}
	c.throw(config.Switch)
	c.build()
	return c
}

// program is a part that is one component, made anew by each start.
func program(name string, start func() *sim.Component) *part {
	var now *sim.Component
	p := &part{
		name:    name,
		stop:    func(reason string) { now.Stop(reason) },
		running: func() bool { return now != nil && now.Running() },
	}
	p.start = func() error {
		now = start()
		now.OnStop(p.end)
		return nil
	}
	return p
}

func (p *part) end() {
	if p.ended != nil {
		p.ended()
	}
}

// boot starts a program after a time.
func (c *Cluster) boot(p *part, after time.Duration) {
	if c.inPods(p) {
		return
	}
	c.byName[p.name] = p
	if after == 0 {
		must(p.start())
		return
	}
	c.kernel.After(after, func() {
		if c.byName[p.name] == p && !p.running() { // an input may have been faster, and the machine gone
			must(p.start())
		}
	})
}

// Trace is everything that happened so far.
func (c *Cluster) Trace() *trace.Recorder { return c.kernel.Trace() }

// History is what every write so far meant for the managers of fields.
func (c *Cluster) History() managedfields.History { return c.server.History() }

// Transport is a client's way to the API server.
func (c *Cluster) Transport() client.Transport {
	if c.faulty != nil {
		return c.observed(c.faulty)
	}
	return c.observed(c.server)
}

func (c *Cluster) observed(t client.Transport) client.Transport {
	if c.observe == nil {
		return t
	}
	return c.observe(t)
}

// Elapsed is the virtual time since the epoch.
func (c *Cluster) Elapsed() time.Duration { return c.kernel.Elapsed() }

// Next tells when the next thing happens; ok is false when nothing is left to happen.
func (c *Cluster) Next() (at time.Duration, ok bool) { return c.kernel.Next() }

// RunUntil lets virtual time pass up to a moment.
func (c *Cluster) RunUntil(t time.Duration) { c.kernel.RunUntil(t) }

// RunFor is RunUntil that stops after so many things that happen. It tells whether it came to t.
func (c *Cluster) RunFor(t time.Duration, things int) bool { return c.kernel.RunFor(t, things) }

// Close stops everything. The trace stays readable.
func (c *Cluster) Close() {
	c.toys.close()
	c.kernel.Close()
}

// Outcomes tells what became of the inputs, in the order in which they were scheduled.
func (c *Cluster) Outcomes() []Outcome { return slices.Clone(c.results) }

// Schedule puts an input on the agenda. It fails when the input is incomplete
// or its time has passed. An input is before everything else of its time, so that
// the same happens whenever it was scheduled, as long as that was before its time.
func (c *Cluster) Schedule(in Input) error {
	if err := in.Validate(); err != nil {
		return err
	}
	if in.At < c.Elapsed() {
		return fmt.Errorf("input %q at %v: it is %v already", in, in.At, c.Elapsed())
	}
	in.Manifest = compact(in.Manifest)
	i := len(c.results)
	c.results = append(c.results, Outcome{Input: in})
	c.scheduled = append(c.scheduled, c.kernel.At(in.At, func() { c.do(i) }))
	return nil
}

// Cancel takes those inputs off the agenda whose time is after t.
func (c *Cluster) Cancel(after time.Duration) {
	for i, o := range c.results {
		if o.Input.At > after {
			c.scheduled[i].Stop()
		}
	}
}

// compact writes JSON as encoding/json does, so that an input that travelled as
// JSON is the same as before. What is no JSON stays: kubectl will say so.
func compact(text json.RawMessage) json.RawMessage {
	out, err := json.Marshal(text)
	if err != nil || len(text) == 0 {
		return text
	}
	return out
}

func (c *Cluster) do(i int) {
	in := c.results[i].Input
	attrs := trace.Attrs("kind", string(in.Kind))
	var deltas []trace.Delta
	switch in.Kind {
	case Apply, Create, Patch:
		attrs = append(attrs, trace.Attrs("manifest", string(in.Manifest))...)
	case Scale:
		attrs = append(attrs, trace.Attrs("replicas", *in.Replicas)...)
	case Delete:
		attrs = append(attrs, given("selector", in.Selector, "fieldSelector", in.FieldSelector, "cascade", in.Cascade, "oldest", c.oldest(in))...)
	case KillNode, StartNode:
		attrs = append(attrs, trace.Attrs("node", in.Node)...)
	case DropWatch, Stop, Start:
		attrs = append(attrs, trace.Attrs("component", in.Component)...)
	default:
		a := actions[in.Kind]
		if a.attrs != nil {
			attrs = append(attrs, a.attrs(in)...)
		}
		if a.deltas != nil {
			deltas = a.deltas(c, in)
		}
	}
	id := c.kernel.Emit(trace.Input, trace.Ref{Resource: in.Resource, Namespace: in.Namespace, Name: in.Name}, attrs, deltas...)
	c.kernel.Because(id, func() {
		if serveRare != nil {
			serveRare(c, in)
		}
		switch in.Kind {
		case Apply, Create, Patch, Scale, Delete:
			c.command(i)
		default:
			if a, ok := actions[in.Kind]; ok {
				a.do(c, i)
				return
			}
			err := c.fault(in)
			c.results[i].Done = true
			if err != nil {
				c.results[i].Error = err.Error()
			}
		}
	})
}

// oldest is the name of the object that a deletion of a name with a * is about,
// as kubectl will find it; "" when that is none, or the input names one.
func (c *Cluster) oldest(in Input) string {
	prefix, is := strings.CutSuffix(in.Name, "*")
	if !is {
		return ""
	}
	return kubectl.Oldest(c.store.At(in.Resource, cmp.Or(in.Namespace, "default"), c.store.Revision()), prefix)
}

// given makes attributes of those pairs whose value is not empty.
func given(kv ...string) []trace.Attr {
	var out []trace.Attr
	for i := 0; i < len(kv); i += 2 {
		if kv[i+1] != "" {
			out = append(out, trace.Attrs(kv[i], kv[i+1])...)
		}
	}
	return out
}

// CanStop tells whether a component can be stopped by itself: kubectl comes and
// goes; a container runtime dies with its machine.
func CanStop(name string) bool {
	return name != Kubectl && !isRuntime(name)
}

func (c *Cluster) fault(in Input) error {
	switch in.Kind {
	case Stop, Start:
		p := c.byName[in.Component]
		if p == nil || !CanStop(in.Component) {
			return fmt.Errorf("component %q cannot be stopped and started", in.Component)
		}
		if in.Kind == Stop {
			return stop(p, "killed")
		}
		node, is := nodeOfKubelet(in.Component)
		if !is {
			node, is = nodeOfProxy(in.Component)
		}
		if !is {
			node, is = strings.CutPrefix(in.Component, installerPrefix)
		}
		if is && !c.byName[runtimeName(node)].running() {
			return fmt.Errorf("component %q: its machine is down", in.Component)
		}
		return start(p)
	case KillNode, StartNode:
		if ok, err := c.hollowFault(in); ok {
			return err
		}
		kubelet, runtime := c.byName[kubeletName(in.Node)], c.byName[runtimeName(in.Node)]
		if kubelet == nil {
			return fmt.Errorf("there is no node %q", in.Node)
		}
		if in.Kind == KillNode {
			if !runtime.running() {
				return fmt.Errorf("node %q is down already", in.Node)
			}
			if kubelet.running() {
				kubelet.stop(trace.LostPower)
			}
			for _, p := range append(c.aboard(in.Node), c.byName[installerPrefix+in.Node]) {
				if p != nil && p.running() {
					p.stop(trace.LostPower)
				}
			}
			runtime.stop(trace.LostPower)
			return nil
		}
		if c.cloud != nil && !c.cloud.Knows(in.Node) {
			return fmt.Errorf("instance %q was terminated: the cloud has no machine to switch on", in.Node)
		}
		if err := start(runtime); err != nil {
			return err
		}
		for _, p := range c.aboard(in.Node) {
			if !p.running() {
				if err := start(p); err != nil {
					return err
				}
			}
		}
		return start(kubelet)
	case DropWatch:
		if c.byName[in.Component] == nil {
			return fmt.Errorf("there is no component %q", in.Component)
		}
		if c.server.CloseWatches(in.Component, in.Resource) == 0 {
			return fmt.Errorf("component %q has no such watch open", in.Component)
		}
		return nil
	}
	return fmt.Errorf("input %q is unknown", in.Kind)
}

// installerPrefix is what comes before the machine in the name of a kubeadm that somebody runs there.
const installerPrefix = "kubeadm/"

func stop(p *part, reason string) error {
	if !p.running() {
		return fmt.Errorf("component %q is down already", p.name)
	}
	p.stop(reason)
	return nil
}

func start(p *part) error {
	if p.running() {
		return fmt.Errorf("component %q runs already", p.name)
	}
	return p.start()
}

// must is for what can only fail by a mistake of ours.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
