// Package program is what the containers of a storage driver's Pods have in common: each runs a program that ends, and is started again
// by its kubelet, and the sidecars have a connection to the driver beside them.
//
// Upstream: github.com/kubernetes-csi/csi-lib-utils, connection and rpc.
package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/storagev1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/node/csi"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Container is the one in which a program runs.
type Container interface {
	// Command is its command line.
	Command() []string
	// End is where it runs.
	End() csi.End
	// Socket is the file behind a path.
	Socket(path string) csi.Address
	// Log writes a line to its log.
	Log(line string)
	// Wake has it look whether the program has ended.
	Wake()
}

// Program runs in a container. It is a component, whose name has the node behind the program's: "csi-attacher/node-1".
type Program struct {
	component *sim.Component
	Container
	Transport client.Transport
	Client    *client.Clientset
	Sockets   *csi.Sockets
	// OnTerm is what it does when it is told to end, before it does.
	OnTerm func()
	code   int32
	cause  trace.ID
}

// Start brings one up, and runs main in it.
func Start(k *sim.Kernel, name string, t client.Transport, sockets *csi.Sockets, c Container, main func(p *sim.Proc, g *Program)) *Program {
	g := &Program{component: k.Start(name + "/" + c.End().Node), Container: c, Transport: t, Client: client.New(t), Sockets: sockets, code: 137}
	verbosity, _ := strconv.Atoi(g.Flag("v", "0"))
	g.component.OnLog(func(l sim.LogLine) {
		if l.V <= verbosity {
			c.Log(line(k.Time(), l))
		}
	})
	g.component.OnStop(func() {
		g.cause = k.Cause()
		c.Wake()
	})
	g.component.Run(func() { g.component.Go("main", func(p *sim.Proc) { main(p, g) }) })
	return g
}

// Component is the program in the trace.
func (g *Program) Component() *sim.Component { return g.component }

// Ended tells whether it runs no more, and with what it has ended.
func (g *Program) Ended() (code int32, cause trace.ID, ended bool) {
	return g.code, g.cause, !g.component.Running()
}

// Kill ends it at once.
func (g *Program) Kill(reason string) { g.component.Stop(reason) }

// Terminate is SIGTERM.
func (g *Program) Terminate() {
	g.component.Go("shutdown", func(p *sim.Proc) {
		if g.OnTerm != nil {
			g.OnTerm()
		}
		g.Exit(p, 0)
	})
}

// Kubectl is none of its tools.
func (g *Program) Kubectl(_ []string, _ []byte, done func(stdout, stderr string, code int32)) {
	done("", "kubectl: not found", 127)
}

// Exit ends the program.
func (g *Program) Exit(p *sim.Proc, code int32) {
	g.code = code
	g.component.Kernel().After(0, func() { g.component.Stop("exited") })
	p.Park()
}

// line is how klog writes one into the container's log. A panic is written by the runtime, as it is.
func line(at time.Time, l sim.LogLine) string {
	if strings.HasPrefix(l.Message, "panic: ") {
		return l.Message
	}
	letter, kv := "I", l.KV
	if l.Failed {
		letter = "E"
	}
	if l.Err != nil {
		kv = append([]any{"err", l.Err}, kv...)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s       1 main.go] %q", letter, at.Format("0102 15:04:05.000000"), l.Message)
	for i := 0; i+1 < len(kv); i += 2 {
		switch v := kv[i+1].(type) {
		case bool, int, int64:
			fmt.Fprintf(&b, " %v=%v", kv[i], v)
		default:
			fmt.Fprintf(&b, " %v=%q", kv[i], fmt.Sprint(v))
		}
	}
	return b.String()
}

// Flag is the value of one on the command line: "--name=value"; otherwise the default.
func (g *Program) Flag(name, value string) string {
	for _, arg := range g.Command() {
		if v, ok := strings.CutPrefix(strings.TrimLeft(arg, "-"), name+"="); ok {
			return v
		}
	}
	return value
}

// Timeout is how long a sidecar waits for its driver. Upstream: --timeout, in the deployments of most drivers.
const Timeout = 15 * time.Second

// Driver is a sidecar's connection to the driver in its Pod.
type Driver struct {
	*csi.Conn
	Name string // what the driver calls itself
}

// connectEvery is how often a sidecar looks whether its driver listens.
const connectEvery = time.Second

// Connect waits for the driver at --csi-address, until it says that it is ready, and asks for its name. With exits, the program ends when
// the connection is lost: its container is started again, and it begins anew.
// Upstream: csi-lib-utils, connection.Connect, ExitOnConnectionLoss; rpc.ProbeForever and GetDriverName.
func (g *Program) Connect(p *sim.Proc, exits bool) *Driver {
	path := g.Flag("csi-address", "/run/csi/socket")
	d := &Driver{Conn: &csi.Conn{Sockets: g.Sockets, At: g.Socket(path), Path: path, From: g.End()}}
	p.Logger().Info("Connecting", "address", "unix://"+path)
	for !d.Alive() {
		p.Sleep(connectEvery)
	}
	if exits {
		g.exitOnLoss(d)
	}
	for {
		if out, err := d.Conn.Call(p, csi.Probe, &csi.Request{}, Timeout); err == nil && out.Ready {
			break
		}
		p.Sleep(connectEvery)
	}
	out, err := d.Call(p, csi.GetPluginInfo, &csi.Request{})
	if err != nil {
		p.Logger().Error(err, "Failed to get CSI driver name")
		g.Exit(p, 1)
	}
	d.Name = out.Name
	p.Logger().V(2).Info("CSI driver name", "driver", d.Name)
	return d
}

// Call asks the driver.
func (d *Driver) Call(p *sim.Proc, method string, in *csi.Request) (*csi.Response, error) {
	return d.Conn.Call(p, method, in, Timeout)
}

// region lost
func (g *Program) exitOnLoss(d *Driver) {
	d.OnLoss(g.component, func() {
		g.component.Go("connection", func(p *sim.Proc) {
			p.Logger().Error(nil, "Lost connection to CSI driver, exiting")
			g.Exit(p, 1)
		})
	})
}

// endregion

// Informers are those of a sidecar.
func (g *Program) Informers() informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(g.Client, 0)
}

// Retry intervals of the queues of sidecars. Upstream: their flags --retry-interval-start and --retry-interval-max.
const retryStart, retryMax = time.Second, 5 * time.Minute

// Queue is one of keys.
func (g *Program) Queue(name string) workqueue.TypedRateLimitingInterface[string] {
	return workqueue.NewTypedRateLimitingQueueWithConfig(g.component, workqueue.NewTypedItemExponentialFailureRateLimiter[string](retryStart, retryMax),
		workqueue.TypedRateLimitingQueueConfig[string]{Name: name})
}

// ErrAgain is for a key that is to come again, though nothing has failed.
var ErrAgain = errors.New("again")

// Work handles the keys of a queue, with so many workers. A key whose handling fails comes again, later each time.
func (g *Program) Work(q workqueue.TypedRateLimitingInterface[string], name string, workers int, handle func(p *sim.Proc, key string) error) {
	for range workers {
		g.component.Go(name, func(p *sim.Proc) {
			for {
				key, quit := q.Get(p)
				if quit {
					return
				}
				switch err := handle(p, key); err {
				case nil:
					q.Forget(key)
				case ErrAgain:
					q.AddRateLimited(key)
				default:
					p.Logger().Info("Retrying", "key", key, "failures", q.NumRequeues(key), "err", err)
					q.AddRateLimited(key)
				}
				q.Done(key)
			}
		})
	}
}

// Enqueue has an informer put the keys of what it is shown into a queue.
func Enqueue(informer cache.SharedIndexInformer, q workqueue.TypedRateLimitingInterface[string]) {
	add := func(obj any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
			q.Add(key)
		}
	}
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: add, UpdateFunc: func(_, obj any) { add(obj) }, DeleteFunc: add})
}

// EnqueueDetached has an informer of attachments put the name of each volume that is attached no longer into a queue.
func EnqueueDetached(attachments cache.SharedIndexInformer, volumes workqueue.TypedRateLimitingInterface[string]) {
	attachments.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
		if va, ok := obj.(*storagev1.VolumeAttachment); ok && va.Spec.Source.PersistentVolumeName != nil {
			volumes.Add(*va.Spec.Source.PersistentVolumeName)
		}
	}})
}

// MergePatch makes one object of another.
func MergePatch(before, now api.Object) ([]byte, error) {
	tree := func(o api.Object) (out map[string]any, err error) {
		text, err := json.Marshal(o)
		if err == nil {
			err = json.Unmarshal(text, &out)
		}
		return out, err
	}
	a, err := tree(before)
	if err != nil {
		return nil, err
	}
	b, err := tree(now)
	if err != nil {
		return nil, err
	}
	return json.Marshal(api.MergePatch(a, b))
}
