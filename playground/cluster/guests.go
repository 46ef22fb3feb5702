package cluster

import (
	"errors"
	"slices"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/controller/manager"
	"kubewalk/playground/kubectl"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/node/metrics"
	"kubewalk/playground/operator/shelloperator"
	"kubewalk/playground/sim"
)

// guestUser is what the credentials of a Pod's ServiceAccount begin with.
// Upstream: k8s.io/apiserver/pkg/authentication/serviceaccount, ServiceAccountUsernamePrefix.
const guestUser = "system:serviceaccount:"

// host has the containers of a node run the programs that are components of their own: metrics-server, and where the cluster has them
// shell-operator and those of storage drivers.
func (c *Cluster) host(runtime *cri.Runtime) {
	runtime.SetGuests(func(name string, in *cri.Inside) cri.Guest {
		t, user := c.accountOf(in)
		switch name {
		case metrics.Name:
			return c.hostMetrics(t, user, in)
		case shelloperator.Name:
			if c.guest != nil && c.guest.Component().Running() || !slices.Contains(c.config.Operators, name) {
				return nil
			}
			namespace, _ := in.Pod()
			c.guest = &guest{Operator: shelloperator.Start(c.kernel, t, container{in}), transport: t, namespace: namespace}
			return c.guest
		}
		return c.storageProgram(name, in)
	})
}

// accountOf is the way to the API server of a container's program, as its Pod's ServiceAccount, and who that is.
func (c *Cluster) accountOf(in *cri.Inside) (t client.Transport, user string) {
	namespace, pod := in.Pod()
	account := "default"
	for _, o := range c.store.At("pods", namespace, c.store.Revision()) {
		if p, ok := o.(*corev1.Pod); ok && p.Name == pod {
			account = p.Spec.ServiceAccountName
		}
	}
	user = guestUser + namespace + ":" + account
	return client.WithCredentials(c.Transport(), user), user
}

// guest is shell-operator in its container: it implements cri.Guest.
type guest struct {
	*shelloperator.Operator
	transport client.Transport
	namespace string // that of its Pod, which kubectl uses where none is named
}

// Kubectl runs a command line as a process of the program.
func (g *guest) Kubectl(argv []string, stdin []byte, done func(stdout, stderr string, code int32)) {
	g.Component().Go("kubectl "+kubectl.Name(argv), func(p *sim.Proc) {
		r := kubectl.New(g.transport).InNamespace(g.namespace).Run(p, argv, stdin)
		code := int32(0)
		if r.Failed {
			code = 1
		}
		done(r.Stdout, r.Stderr, code)
	})
}

// container is what shell-operator sees of its container: it implements shelloperator.Container.
type container struct{ *cri.Inside }

// Run runs a file with the container's shell.
func (c container) Run(p *sim.Proc, argv []string, env map[string]string, say func(stream, line string)) int32 {
	var variables []cri.Variable
	for name, value := range env { // order: each is its own
		variables = append(variables, cri.Variable{Name: name, Value: value})
	}
	return c.Inside.Run(p, argv, variables, say)
}

// podPrograms are the components that only their Pods start, and staticPods those that only a kubelet does where kubeadm has installed the
// control plane, with spaces between them. The page's menu has both, too.
const (
	podPrograms = metrics.Name + " " + shelloperator.Name + " " + DiskDriver
	staticPods  = Etcd + " " + APIServer + " " + manager.Component + " " + Scheduler
)

// errStartedByPod and errStartedStatic are why an input cannot start such a program.
var (
	errStartedByPod  = errors.New("it is started by its Pod: create one with its image")
	errStartedStatic = errors.New("the kubelet starts it, with the container of its static Pod")
)

// startedByKubelet tells whether a program could not be started because the kubelet does, when it restarts a container.
func startedByKubelet(err error) bool {
	return errors.Is(err, errStartedByPod) || errors.Is(err, errStartedStatic)
}

// guestPart is the component of a program that its Pod starts.
func (c *Cluster) guestPart(name string) *part {
	if name != shelloperator.Name {
		return c.storagePart(name)
	}
	running := func() bool { return c.guest != nil && c.guest.Component().Running() }
	return &part{name: name, running: running, stop: func(reason string) { c.guest.Kill(reason) }, start: func() error { return errStartedByPod }}
}
