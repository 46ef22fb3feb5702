package cluster

import (
	"errors"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/controller/manager"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/node/metrics"
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
		case HookOperator:
			return c.hostHooks(t, in)
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

// podPrograms are the components that only their Pods start, and staticPods those that only a kubelet does where kubeadm has installed the
// control plane, with spaces between them. The page's menu has both, too.
const (
	podPrograms = metrics.Name + " " + HookOperator + " " + DiskDriver
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
	if name == HookOperator {
		return c.hookPart()
	}
	return c.storagePart(name)
}
