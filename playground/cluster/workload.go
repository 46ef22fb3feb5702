//go:build !js || cel

package cluster

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/kubectl"
	"kubewalk/playground/operator/kubeadm"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// workload is a cluster that the programs of Cluster API have had made. It is a Cluster like this one, with a kernel, a store and a trace of its
// own, so nothing in it is taken for something of this one. Its time is that of the cluster that manages it, which lets it run (arm), and hands
// it what is to be done there (now). What can be seen of it from outside is told in the managing cluster's trace: which of its machines are up,
// what kubeadm prints on them, and its Nodes with their Pods (look).
type workload struct {
	cluster  *Cluster // that manages it
	token    string   // of the call that asked for its load balancer
	host     string   // where that is
	name     string   // "" as long as no machine has been told
	ca       string
	inner    *Cluster // nil before there is a machine
	began    time.Duration
	timer    *sim.Timer
	armed    time.Duration
	machines []string
	first    string // of the machines, which has the control plane
	made     int
	callers  map[string]*sim.Component // who speaks to its API server from here, by name
	shadows  map[string]*sim.Component // what is seen of its programs, by name
	seen     map[string]string
	revision int64
	events   map[string]trace.ID // what is due to a machine's boot, by its name, and what was seen last of a program or a Node, by theirs
}

const workloadPort = ":6443"

// at finds a cluster by one of some addresses, with a port or without; nil for none.
func (t *toys) at(addresses ...string) *workload {
	for _, w := range t.workloads {
		if slices.Contains(addresses, w.host) || slices.Contains(addresses, w.host+workloadPort) {
			return w
		}
	}
	return nil
}

// with finds the cluster that a machine belongs to; nil for none.
func (t *toys) with(machine string) *workload {
	for _, w := range t.workloads {
		if slices.Contains(w.machines, machine) {
			return w
		}
	}
	return nil
}

func (t *toys) close() {
	for _, w := range t.workloads {
		if w.inner != nil {
			w.inner.Close()
		}
	}
}

// Balance implements infrastructure.Cloud.
func (t toyCloud) Balance(p *sim.Proc, token string) string {
	t.call(p)
	all := &t.cluster.toys.workloads
	if i := slices.IndexFunc(*all, func(w *workload) bool { return w.token == token }); i >= 0 {
		return (*all)[i].host
	}
	w := &workload{cluster: t.cluster, token: token, host: fmt.Sprintf("203.0.113.%d", 10+len(*all)), callers: map[string]*sim.Component{},
		shadows: map[string]*sim.Component{}, seen: map[string]string{}, events: map[string]trace.ID{}}
	*all = append(*all, w)
	p.Logger().Info("Load balancer is up", "address", w.host)
	return w.host
}

// Unbalance implements infrastructure.Cloud. Nobody finds the cluster any more; its machines are gone before.
func (t toyCloud) Unbalance(p *sim.Proc, token string) {
	t.call(p)
	for _, w := range t.cluster.toys.workloads {
		if w.token == token && w.host != "" {
			p.Logger().Info("Load balancer is gone", "address", w.host)
			w.host = ""
			w.timer.Stop()
			for _, name := range slices.Sorted(maps.Keys(w.shadows)) {
				w.shadows[name].Stop("gone")
			}
			if w.inner != nil {
				w.inner.Close()
				w.inner = nil
			}
		}
	}
}

// run has a machine boot that begins the cluster, or joins it, as its user data says. It is called by a process of the managing cluster.
func (w *workload) run(p *sim.Proc, name string, cpus int, userData string, r *sim.Rand) {
	n := Node{Name: name, CPU: fmt.Sprint(max(cpus, 1)), Memory: fmt.Sprintf("%dGi", 2*max(cpus, 1)), Pods: 110}
	first, _ := userDataOf(userData, name, &n)
	boot := r.Between(minToyBoot, maxToyBoot)
	ready := boot + r.Between(minToyJoin, maxToyJoin)
	w.machines = append(w.machines, name)
	w.do(p, func() {
		w.events[name] = w.cluster.kernel.Cause()
		if w.inner == nil {
			w.begin(userData)
			w.first = name
		}
		w.inner.machine(n, w.made, boot, first)
		w.made++
		w.own(name)
	})
	w.cluster.kernel.After(ready, func() {
		if slices.Contains(w.machines, name) && !w.cluster.toys.leaving[name] {
			w.now(func() { w.cloudInit(name, userData) })
		}
	})
}

// begin makes the cluster, as far as it exists before there is a machine.
func (w *workload) begin(userData string) {
	c := w.cluster
	w.name, w.began = valueIn(userData, "clusterName"), c.kernel.Elapsed()
	w.ca = filesIn(userData)["/etc/kubernetes/pki/ca.crt"]
	config := Config{Epoch: c.kernel.Time(), Trace: trace.Objects, Authorization: RBAC, LeaderElect: true, AllKinds: true, Kubeadm: true}
	if c.config.Trace == trace.Off {
		config.Trace = trace.Off
	}
	w.inner = New(config, c.kernel.Rand("workload/"+w.host).Uint64())
	w.inner.install.endpoint = w.host + workloadPort
}

// own makes the parts of a machine parts of the managing cluster, too, so that it can lose power.
func (w *workload) own(machine string) {
	for _, name := range []string{runtimeName(machine), kubeletName(machine)} {
		inner := w.inner.byName[name]
		w.cluster.byName[name] = &part{
			name:    name,
			start:   func() (err error) { w.now(func() { err = inner.start() }); return err },
			stop:    func(reason string) { w.now(func() { inner.stop(reason) }) },
			running: inner.running,
		}
	}
}

// forget is when a machine is gone.
func (w *workload) forget(machine string) {
	w.machines = slices.DeleteFunc(w.machines, func(name string) bool { return name == machine })
	w.inner.boxes = slices.DeleteFunc(w.inner.boxes, func(b *box) bool { return b.name == machine })
	for _, name := range []string{runtimeName(machine), kubeletName(machine), installerPrefix + machine} {
		delete(w.inner.byName, name)
	}
}

// cloudInit is what a machine does when it boots first: it writes files, and runs kubeadm.
func (w *workload) cloudInit(name, userData string) {
	c := w.inner
	if runtime := c.byName[runtimeName(name)]; runtime == nil || !runtime.running() {
		return
	}
	m := &kubeadmMachine{cluster: c, box: c.findBox(name), rand: c.kernel.Rand("kubeadm/" + name)}
	for path, text := range filesIn(userData) { // order: each is a file of its own
		if strings.HasPrefix(path, "/etc/kubernetes/pki/") {
			m.Write(path, text)
		}
	}
	installer := installerPrefix + name
	p := program(installer, func() *sim.Component {
		status := "exit status 0"
		shadow := w.shadow(installer, name)
		var run *sim.Component
		if strings.Contains(userData, "- kubeadm init ") {
			run = kubeadm.Init(c.kernel, m, func(kubeadm.JoinCommand) {})
		} else {
			run = kubeadm.Join(c.kernel, m, kubeadm.JoinCommand{Server: valueIn(userData, "apiServerEndpoint"), Token: valueIn(userData, "token"),
				CACertHash: "sha256:" + valueIn(userData, "- sha256")})
		}
		run.OnLog(func(line sim.LogLine) {
			attrs := trace.Attrs("message", line.Message, "v", line.V)
			if line.Failed {
				status = "exit status 1"
				attrs = append(attrs, trace.Attrs("error", fmt.Sprint(line.Err))...)
			}
			w.tell(shadow, installer, w.events[installer], attrs)
		})
		run.OnStop(func() {
			w.cluster.kernel.Because(w.events[installer], func() { shadow.Stop(status) })
			delete(w.shadows, installer)
		})
		return run
	})
	c.byName[installer] = p
	must(p.start())
}

// now does something in the cluster, at once. It is for code of the managing cluster that is in no process.
func (w *workload) now(what func()) {
	if w.inner != nil {
		w.inner.RunUntil(w.cluster.kernel.Elapsed() - w.began)
	}
	what()
	w.look()
	w.arm()
}

// do has what happen in the cluster, and waits until it has.
func (w *workload) do(p *sim.Proc, what func()) {
	done := false
	w.cluster.kernel.After(0, func() {
		w.now(what)
		done = true
		p.Wake()
	})
	for !done {
		p.Park()
	}
}

// arm has the cluster run when the next thing happens in it.
func (w *workload) arm() {
	at, ok := time.Duration(0), false
	if w.inner != nil {
		at, ok = w.inner.Next()
	}
	at += w.began
	if w.timer != nil && (!ok || at != w.armed) {
		w.timer.Stop()
		w.timer = nil
	}
	if ok && w.timer == nil {
		w.armed = at
		w.timer = w.cluster.kernel.After(at-w.cluster.kernel.Elapsed(), func() {
			w.timer = nil
			w.now(func() {})
		})
	}
}

// tell is a line of somebody of the cluster who is seen from outside, about a program or an object.
func (w *workload) tell(who *sim.Component, about string, cause trace.ID, attrs []trace.Attr, deltas ...trace.Delta) {
	k := w.cluster.kernel
	k.Because(cause, func() {
		who.Run(func() {
			if id := k.Emit(trace.Log, trace.Ref{}, attrs, deltas...); id != 0 {
				w.events[about] = id
			}
		})
	})
}

// shadow is what is seen of a program: that it runs. It is due to what was seen of kubeadm on its machine, or else to the machine's boot.
func (w *workload) shadow(name, machine string) *sim.Component {
	if s := w.shadows[name]; s != nil && s.Running() {
		return s
	}
	k := w.cluster.kernel
	k.Because(cmp.Or(w.events[installerPrefix+machine], w.events[machine]), func() { w.shadows[name] = k.Start(name) })
	w.events[name] = trace.ID(k.Trace().Len())
	return w.shadows[name]
}

// look tells what has changed, as far as it is seen from outside.
func (w *workload) look() {
	c := w.inner
	if c == nil {
		return
	}
	see := func(name, machine string, up bool) {
		switch s := w.shadows[name]; {
		case up:
			w.shadow(name, machine)
		case s != nil && s.Running():
			s.Stop(trace.LostPower)
			delete(w.shadows, name)
		}
	}
	for _, machine := range w.machines {
		for _, name := range []string{runtimeName(machine), kubeletName(machine)} {
			p, before := c.byName[name], w.shadows[name]
			if p == nil {
				continue
			}
			see(name, machine, p.running())
			if now := w.shadows[name]; now != nil && now != before && name == runtimeName(machine) {
				w.tell(now, name, w.events[name], trace.Attrs("message", "Machine is up", "v", 0, "cluster", w.name), trace.Set(w.cell(machine), "Up"))
			}
		}
	}
	server := APIServer + "/" + w.name
	serves := c.install.static[APIServer].running() && c.Serving()
	if see(server, w.first, serves); !serves {
		clear(w.seen)
		w.revision = 0
	} else if now := c.store.Revision(); now != w.revision {
		w.revision = now
		w.lookAtNodes(w.shadows[server])
	}
}

// lookAtNodes tells which Nodes and Pods have changed.
func (w *workload) lookAtNodes(server *sim.Component) {
	c, now := w.inner, map[string]string{}
	for _, obj := range c.store.At("nodes", "", w.revision) {
		node, state := obj.(*corev1.Node), "NotReady"
		for _, condition := range node.Status.Conditions {
			if condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue {
				state = "Ready"
			}
		}
		now[node.Name] = state
	}
	for _, obj := range c.store.At("pods", "", w.revision) {
		pod := obj.(*corev1.Pod)
		if now[pod.Spec.NodeName] == "" {
			continue
		}
		state := string(pod.Status.Phase)
		for _, condition := range pod.Status.Conditions {
			if condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue {
				state = "Ready"
			}
		}
		if pod.DeletionTimestamp != nil {
			state = "Terminating"
		}
		now[pod.Spec.NodeName+"/"+pod.Namespace+"/"+pod.Name] = state
	}
	for _, key := range slices.Sorted(maps.Keys(w.seen)) {
		if now[key] == "" {
			delete(w.seen, key)
			kind, attrs := told(key)
			w.tell(server, key, w.events[server.Name()], append(trace.Attrs("message", kind+" is gone", "v", 0), attrs...), trace.Unset(w.cell(key)))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(now)) {
		if w.seen[key] != now[key] {
			w.seen[key] = now[key]
			kind, attrs := told(key)
			w.tell(server, key, w.events[server.Name()], append(trace.Attrs("message", kind+" is "+now[key], "v", 0), attrs...), trace.Set(w.cell(key), now[key]))
		}
	}
}

// told is of what kind something seen is, and its name as attributes of an event.
func told(key string) (kind string, attrs []trace.Attr) {
	if node, pod, is := strings.Cut(key, "/"); is {
		return "Pod", trace.Attrs("pod", pod, "node", node)
	}
	return "Node", trace.Attrs("node", key)
}

func (w *workload) cell(node string) trace.Cell {
	return trace.Cell{Kind: trace.CellElsewhere, Owner: w.name, Key: node}
}

// elsewhere runs a command for another cluster. There are no files here: NAME.kubeconfig is what the Secret NAME-kubeconfig says, as after
// `clusterctl get kubeconfig NAME > NAME.kubeconfig`.
func (c *Cluster) elsewhere(p *sim.Proc, file string, in Input) kubectl.Result {
	name, ok := strings.CutSuffix(file[strings.LastIndexByte(file, '/')+1:], ".kubeconfig")
	secret, is := c.store.Current(store.Key{Resource: "secrets", Namespace: "default", Name: name + "-kubeconfig"}).(*corev1.Secret)
	if !ok || !is {
		return kubectl.NoKubeconfig(file)
	}
	host, _ := readKubeconfig(string(secret.Data["value"]))
	w := c.toys.at(host)
	if w == nil || w.inner == nil {
		return kubectl.Result{Stderr: refused(host), Failed: true}
	}
	var i int
	w.do(p, func() {
		i = len(w.inner.results)
		must(w.inner.Schedule(Input{At: w.inner.Elapsed(), Kind: Command, Args: kubectl.WithoutKubeconfig(in.Args), Manifest: in.Manifest}))
	})
	for w.inner != nil && !w.inner.results[i].Done {
		p.Sleep(10 * time.Millisecond)
	}
	if w.inner == nil {
		return kubectl.Result{Stderr: refused(host), Failed: true}
	}
	o := w.inner.results[i]
	if !w.inner.Serving() {
		return kubectl.Result{Stderr: refused(host), Failed: true}
	}
	if text := strings.TrimSpace(o.Output); text != "" {
		p.Logger().Info(text)
	}
	return kubectl.Result{Stdout: o.Output, Stderr: o.Error + o.Warning, Failed: o.Error != ""}
}

func refused(host string) string {
	return "The connection to the server " + host + workloadPort + " was refused - did you specify the right host or port?\n"
}

// readKubeconfig is which host a kubeconfig leads to, and the CA that it trusts.
func readKubeconfig(text string) (host, ca string) {
	host = strings.TrimSuffix(strings.TrimPrefix(valueIn(text, "server"), "https://"), workloadPort)
	data, err := base64.StdEncoding.DecodeString(valueIn(text, "certificate-authority-data"))
	if err != nil {
		return host, ""
	}
	return host, string(data)
}

// valueIn is what stands behind a key, in a line of its own, in YAML as the programs of Cluster API write it; "" for nothing.
func valueIn(text, key string) string {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(strings.TrimLeft(line, " "), key+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// filesIn are the files that user data has a machine write.
func filesIn(userData string) map[string]string {
	files, path := map[string]string{}, ""
	inside := false
	for line := range strings.Lines(userData) {
		switch rest, is := strings.CutPrefix(line, "-   path: "); {
		case is:
			path, inside = strings.TrimSpace(rest), false
		case strings.HasPrefix(line, "    content: |"):
			inside = true
		case inside && strings.HasPrefix(line, "      "):
			files[path] += line[6:]
		default:
			inside = false
		}
	}
	return files
}

var errUnknownAuthority = errors.New("tls: failed to verify certificate: x509: certificate signed by unknown authority")
