package cri

import (
	"net/netip"
	"slices"
	"time"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Options of a runtime.
type Options struct {
	Node     string
	PodCIDR  string   // the range of its Pods' addresses: "10.244.1.0/24"
	Disk     *Disk    // nil is an empty one
	Registry Registry // nil is Internet
	Dialer   Dialer   // nil: see SetDialer
	Storage  *Disk    // where PersistentVolumes are; nil is the node's own disk
	Memory   int64    // of the machine, bytes; 0 is DefaultMemory
	// Images are some that behave as kubewalk.dev/app does with such flags.
	Images map[string][]string
}

// MachineMemory is what the machine has, in bytes.
func (r *Runtime) MachineMemory() int64 { return r.memory }

// DefaultMemory is what a machine has whose memory nobody said.
const DefaultMemory = 8 << 30

// Runtime is a running containerd. All of its memory but the Disk dies with
// its component.
type Runtime struct {
	kernel    *sim.Kernel
	component *sim.Component
	node      string
	disk      *Disk
	registry  Registry
	dialer    Dialer
	storage   *Disk
	memory    int64
	rand      *sim.Rand
	tasks     map[string]*task  // by container, while it runs
	pulling   map[string]int    // how many pulls of an image are under way
	newest    map[string]string // by Pod, its newest sandbox
	images    map[string][]string
	booted    time.Duration
	gone      time.Duration                       // CPU time of containers that have ended
	guests    func(name string, in *Inside) Guest // nil where there are none
}

// Start brings a node's runtime up.
func Start(k *sim.Kernel, o Options) *Runtime {
	if o.Disk == nil {
		o.Disk = NewDisk()
	}
	if o.Registry == nil {
		o.Registry = Internet{}
	}
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	if o.Storage == nil {
		o.Storage = o.Disk
	}
	name := "containerd/" + o.Node
	r := &Runtime{
		kernel: k, component: k.Start(name), node: o.Node, disk: o.Disk, registry: o.Registry, dialer: o.Dialer, storage: o.Storage, memory: o.Memory,
		rand: k.Rand(name), tasks: map[string]*task{}, pulling: map[string]int{}, newest: map[string]string{},
		images: map[string][]string{}, booted: k.Elapsed(),
	}
	for name, flags := range o.Images { // order: into a map
		r.images[NormalizeImage(name)] = flags
	}
	if !o.Disk.used {
		o.Disk.used = true
		o.Disk.addresses = addresses{prefix: netip.MustParsePrefix(o.PodCIDR), taken: map[netip.Addr]string{}}
	}
	o.Disk.recover(k.Time())
	r.component.OnStop(r.killGuests)
	r.component.Run(func() {
		for _, image := range o.Disk.images {
			k.Emit(trace.ImagePulled, trace.Ref{}, trace.Attrs("image", image.Name, "took", time.Duration(0)),
				trace.Set(r.imageCell(image.Name), "present"))
		}
	})
	return r
}

// Component is the runtime's program. Stopping it stops all containers.
func (r *Runtime) Component() *sim.Component { return r.component }

// Program is NewProgram for an image as this runtime knows it: Options.Images are
// programs of their own, to which a Pod's args are further flags.
func (r *Runtime) Program(image string, command, args []string) Program {
	if flags, ok := r.images[NormalizeImage(image)]; ok && len(command) == 0 {
		return NewProgram(appImage, nil, slices.Concat([]string{}, flags, args))
	}
	return NewProgram(image, command, args)
}

// Disk is the node's disk.
func (r *Runtime) Disk() *Disk { return r.disk }

// Storage is the cluster's storage outside of its nodes: a PersistentVolume has
// the same files wherever it is mounted.
func (r *Runtime) Storage() *Disk { return r.storage }

// Status is nil when the runtime answers. Upstream: CRI's Status.
func (r *Runtime) Status() error {
	if !r.component.Running() {
		return r.unavailable()
	}
	return nil
}

func (r *Runtime) unavailable() error {
	return &Error{"Unavailable",
		"connection error: desc = \"transport: Error while dialing: dial unix /run/containerd/containerd.sock: connect: connection refused\""}
}

// call has a process of the runtime do something while the caller waits.
// The caller becomes due to the last thing that the runtime did for it. Without
// an answer within the time-out (0: there is none), or when the runtime dies
// meanwhile, it is an error and unknown what was done.
//
// Upstream: staging/src/k8s.io/cri-client/pkg/remote_runtime.go (a time-out of
// two minutes, on top of which StopContainer has the grace period).
func (r *Runtime) call(p *sim.Proc, method string, timeout time.Duration, serve func(s *sim.Proc) error) error {
	if !r.component.Running() {
		return r.unavailable()
	}
	var (
		err     error
		done    bool
		waiting bool
		last    trace.ID
	)
	r.component.Go(method, func(s *sim.Proc) {
		err = serve(s)
		done, last = true, r.kernel.Cause()
		if waiting {
			waiting = false
			p.Wake()
		}
	})
	deadline := p.Now() + timeout
	for !done {
		if !r.component.Running() {
			return &Error{"Unavailable", "error reading from server: EOF"}
		}
		wait := 10 * time.Second // how soon a death of the runtime is noticed
		if timeout > 0 {
			if p.Now() >= deadline {
				return &Error{"DeadlineExceeded", "context deadline exceeded"}
			}
			wait = min(wait, deadline-p.Now())
		}
		waiting = true
		p.ParkFor(wait)
	}
	p.Due(last)
	return err
}

// gone is the error for a request whose caller died while it was being carried
// out: its connection broke, which cancels it. Else a kubelet that was restarted
// would find its predecessor's containers starting after it has looked.
func gone(caller *sim.Component) error {
	if caller.Running() {
		return nil
	}
	return &Error{"Canceled", "context canceled"}
}

const callTimeout = 2 * time.Minute

func (r *Runtime) took(s *sim.Proc, lo, hi time.Duration) { s.Sleep(r.rand.Between(lo, hi)) }

func (r *Runtime) sandboxCell(c *PodSandboxConfig) trace.Cell {
	return trace.Cell{Kind: trace.CellSandbox, Owner: r.node, Key: c.key()}
}

func (r *Runtime) imageCell(name string) trace.Cell {
	return trace.Cell{Kind: trace.CellImage, Owner: r.node, Key: name}
}

func (r *Runtime) containerCell(s *PodSandboxConfig, container string) trace.Cell {
	return trace.Cell{Kind: trace.CellContainer, Owner: r.node, Key: s.key() + "/" + container}
}

func podRef(c *PodSandboxConfig) trace.Ref {
	return trace.Ref{Resource: "pods", Namespace: c.Namespace, Name: c.Name}
}

// short is how a person cites an ID.
func short(id string) string {
	if len(id) > 13 {
		return id[:13]
	}
	return id
}
