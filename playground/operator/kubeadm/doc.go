// Package kubeadm makes a control plane of a machine, as `kubeadm init` does, and has others join it, as `kubeadm join` does: phase by phase,
// with the lines that the real one prints. A run of it is a component, which ends.
//
// What it does, it does by files and objects, and all that follows is due to them: it writes manifests, and the kubelet runs them; it writes
// a token into a Secret, and who knows the token may ask for a certificate. Phases, names, files, messages and objects are those of
// Kubernetes 1.36.
//
// Simplified: keys and certificates are texts that look like some, because nobody speaks TLS here; who signs is there, and who asks has to wait
// for him. Files that are configurations hold only what matters. Absent: flags and configuration files, checks before the start beside two,
// an etcd elsewhere, more control planes, certificates' renewal, upgrade and reset.
//
// Upstream: cmd/kubeadm/app, and pkg/kubelet/certificate/bootstrap for what the kubelet does of it.
package kubeadm

import (
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// Name is what a run's component begins with.
const Name = "kubeadm"

// Versions of what is installed. Upstream: constants/constants.go.
const (
	Version        = api.Version
	etcdVersion    = "3.6.8-0"
	coreDNSVersion = "v1.14.2"
	pauseVersion   = "3.10.2"
)

// Where things are on a machine. Upstream: constants/constants.go.
const (
	Manifests     = "/etc/kubernetes/manifests"
	kubernetesDir = "/etc/kubernetes"
	pki           = "/etc/kubernetes/pki"
	KubeletConf   = "/etc/kubernetes/kubelet.conf"
	bootstrapConf = "/etc/kubernetes/bootstrap-kubelet.conf"
	KubeletConfig = "/var/lib/kubelet/config.yaml"
	kubeletFlags  = "/var/lib/kubelet/kubeadm-flags.env"
	kubeletCert   = "/var/lib/kubelet/pki/kubelet-client-current.pem"
)

// Users that nobody is, beside who is known by name: see Machine.As.
const (
	Anonymous    = "anonymous"        // without credentials
	BootstrapFor = "bootstrap-token:" // with a token, which follows
)

// retryInterval is how often it looks whether something has become true. Upstream: KubernetesAPICallRetryInterval.
const retryInterval = 500 * time.Millisecond

// Machine is where it runs.
type Machine interface {
	// Node is its name, and Address what others reach it by.
	Node() string
	Address() string
	// Endpoint is what others reach the API server by, a host and a port, where that is not this machine: a load balancer. "" is this machine.
	Endpoint() string
	// Read, Write and Remove are about a file.
	Read(path string) (text string, ok bool)
	Write(path, text string)
	Remove(path string)
	// Pull downloads an image.
	Pull(p *sim.Proc, image string) error
	// StartKubelet starts it anew, and KubeletHealthy tells whether it answers on its port 10248.
	StartKubelet() error
	KubeletHealthy() bool
	// Answers tells whether a program of the control plane answers that it is alive, at its own port.
	Answers(program string) bool
	// As is the way to the API server with somebody's credentials; "" are those of the administrator.
	As(user string) client.Transport
	// Chance is where keys and tokens come from.
	Chance() *sim.Rand
}

// JoinCommand is what is printed at the end, for other machines.
type JoinCommand struct{ Server, Token, CACertHash string }

// run is one run of the program.
type run struct {
	Machine
	proc   *sim.Proc
	client *client.Clientset
	token  string // that machines may join with
}

func (r *run) say(line string) { r.proc.Logger().Info(line) }

// works lets time pass, as long as the machine is busy.
func (r *run) works(least, most time.Duration) { r.proc.Sleep(r.Chance().Between(least, most)) }

// fail ends the program, as kubeadm does. Upstream: util/errors.go, CheckErr.
func (r *run) fail(phase string, err error) {
	r.proc.Logger().Error(err, "error: error execution phase "+phase)
	r.proc.Component().Stop("exit status 1")
}

// start runs phases one after the other, and then ends.
func start(k *sim.Kernel, m Machine, body func(r *run) (phase string, err error)) *sim.Component {
	c := k.Start(Name + "/" + m.Node())
	c.Go("main", func(p *sim.Proc) {
		r := &run{Machine: m, proc: p}
		if phase, err := body(r); err != nil {
			r.fail(phase, err)
			return
		}
		c.Stop("exit status 0")
	})
	return c
}
