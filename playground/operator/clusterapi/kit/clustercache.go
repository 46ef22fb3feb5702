package kit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/operator/clusterapi/clusterv1"
	crclient "kubewalk/playground/operator/controllerruntime/client"
	"kubewalk/playground/operator/controllerruntime/context"
	"kubewalk/playground/sim"
)

// ErrClusterNotConnected is that there is no connection to a workload cluster now. Upstream: controllers/clustercache/errors.go.
var ErrClusterNotConnected = errors.New("connection to the workload cluster is down")

// Dialer is the wire to other clusters: where a kubeconfig leads to.
type Dialer func(kubeconfig string) (client.Transport, error)

// How often a connection is tried, and asked whether it is still there. Upstream: controllers/clustercache/cluster_cache.go.
const (
	connectionRetryInterval = 30 * time.Second
	probeInterval           = 10 * time.Second
	probeTimeout            = 5 * time.Second
	probeFailures           = 5
)

// ClusterCache has a program's connections to workload clusters. Each is made with the kubeconfig that is in a Secret, and tried again until
// the cluster answers. A Cluster without a controlPlaneRef is the cluster itself that the program runs in.
// Simplified: a connection is asked for by whoever needs it first; of the objects there only Nodes are kept.
// Upstream: controllers/clustercache.
type ClusterCache struct {
	program *Program
	dial    Dialer
	known   map[string]*accessor
	nodes   bool // whether Nodes are watched
	changed func(cluster types.NamespacedName, node *corev1.Node)
}

// accessor is one connection. Upstream: controllers/clustercache/cluster_accessor.go.
type accessor struct {
	uid       types.UID
	transport client.Transport        // nil as long as there is no connection
	nodes     map[string]*corev1.Node // nil until they are known
}

// NewClusterCache makes one. changed is called when a cluster is connected, or no longer is, with a nil Node; and if nodes are watched, with
// each that has changed.
func NewClusterCache(p *Program, dial Dialer, nodes bool, changed func(cluster types.NamespacedName, node *corev1.Node)) *ClusterCache {
	return &ClusterCache{program: p, dial: dial, known: map[string]*accessor{}, nodes: nodes, changed: changed}
}

// IsRemote tells whether a Cluster is another one than that of the program.
func IsRemote(cluster *clusterv1.Cluster) bool { return cluster.Spec.ControlPlaneRef.IsDefined() }

// Get is the way to a cluster. Upstream: ClusterCache.GetClient.
func (c *ClusterCache) Get(cluster *clusterv1.Cluster) (client.Transport, error) {
	if !IsRemote(cluster) {
		return c.program.Transport, nil
	}
	if a := c.accessor(cluster); a.transport != nil {
		return a.transport, nil
	}
	return nil, ErrClusterNotConnected
}

// Nodes are those of a cluster that match, by their names. Each is a copy.
func (c *ClusterCache) Nodes(ctx context.Context, cluster *clusterv1.Cluster, match func(n *corev1.Node) bool) (out []*corev1.Node, err error) {
	if !IsRemote(cluster) {
		return List(ctx, c.program, &corev1.Node{}, match)
	}
	a := c.accessor(cluster)
	if a.nodes == nil {
		return nil, ErrClusterNotConnected
	}
	for _, n := range a.nodes { // order: sorted below
		if match(n) {
			out = append(out, n.DeepCopy())
		}
	}
	slices.SortFunc(out, func(a, b *corev1.Node) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func (c *ClusterCache) accessor(cluster *clusterv1.Cluster) *accessor {
	name := types.NamespacedName{Namespace: cluster.Namespace, Name: cluster.Name}
	a := c.known[name.String()]
	if a == nil || a.uid != cluster.UID {
		a = &accessor{uid: cluster.UID}
		c.known[name.String()] = a
		c.program.component.Go("clustercache", func(p *sim.Proc) { c.keep(p, name, a) })
	}
	return a
}

// keep connects, and connects again, as long as there is such a Cluster.
func (c *ClusterCache) keep(p *sim.Proc, name types.NamespacedName, a *accessor) {
	ctx := context.Context{Proc: p, Logger: p.Logger().WithValues("controller", "clustercache", "Cluster", name.String())}
	failed := 0
	for c.known[name.String()] == a {
		cluster := &clusterv1.Cluster{}
		if err := c.program.Get(ctx, name, cluster); err != nil || cluster.UID != a.uid {
			delete(c.known, name.String())
			a.transport, a.nodes = nil, nil
			return
		}
		if a.transport == nil {
			if Deref(cluster.Status.Initialization.InfrastructureProvisioned) {
				c.connect(ctx, name, a)
				failed = 0
			}
			if a.transport == nil {
				p.Sleep(connectionRetryInterval)
			}
			continue
		}
		p.Sleep(probeInterval)
		if err := probe(p, a.transport); err == nil {
			failed = 0
			continue
		}
		if failed++; failed >= probeFailures {
			ctx.Logger.Info("Disconnecting because health probe failed")
			a.transport, a.nodes = nil, nil
			c.changed(name, nil)
		}
	}
}

// probe asks whether an API server answers. Upstream: GET /.
func probe(p *sim.Proc, t client.Transport) error {
	_, err := t.Do(p, &client.Request{Verb: client.Get, Resource: api.KindOf(&corev1.Namespace{}).GroupVersionResource(), Name: "kube-system",
		Timeout: probeTimeout})
	return err
}

func (c *ClusterCache) connect(ctx context.Context, name types.NamespacedName, a *accessor) {
	kubeconfig, err := c.kubeconfig(ctx, name)
	var t client.Transport
	if err == nil {
		t, err = c.dial(kubeconfig)
	}
	if err == nil {
		err = probe(ctx.Proc, t)
	}
	if err != nil {
		ctx.Logger.Error(err, "Connect failed")
		return
	}
	a.transport = t
	ctx.Logger.Info("Connected")
	if c.nodes {
		c.program.component.Go("clustercache-nodes", func(p *sim.Proc) { c.watchNodes(p, name, a) })
	}
	c.changed(name, nil)
}

// kubeconfig reads it from its Secret. Upstream: util/kubeconfig.FromSecret.
func (c *ClusterCache) kubeconfig(ctx context.Context, name types.NamespacedName) (string, error) {
	secret := &corev1.Secret{}
	err := c.program.Get(ctx, crclient.ObjectKey{Namespace: name.Namespace, Name: SecretName(name.Name, Kubeconfig)}, secret)
	if err != nil {
		return "", fmt.Errorf("error creating REST config: error getting kubeconfig secret: %w", err)
	}
	return string(secret.Data["value"]), nil
}

// watchNodes keeps the Nodes of a cluster, until the connection is given up.
func (c *ClusterCache) watchNodes(p *sim.Proc, name types.NamespacedName, a *accessor) {
	nodes := api.KindOf(&corev1.Node{}).GroupVersionResource()
	for t := a.transport; t != nil && a.transport == t; p.Sleep(time.Second) {
		list, err := client.New(t).CoreV1().Nodes().List(p, metav1.ListOptions{})
		if err != nil {
			continue
		}
		known := map[string]*corev1.Node{}
		for i := range list.Items {
			known[list.Items[i].Name] = &list.Items[i]
		}
		a.nodes = known
		for i := range list.Items {
			c.changed(name, &list.Items[i])
		}
		stream, err := t.Watch(p, &client.Request{Verb: client.Watch, Resource: nodes, List: metav1.ListOptions{ResourceVersion: list.ResourceVersion}})
		for err == nil {
			e, ok := stream.Next(p)
			if !ok || e.Type == client.Error || a.transport != t {
				break
			}
			node, is := e.Object.(*corev1.Node)
			switch {
			case !is || e.Type == client.Bookmark:
				continue
			case e.Type == client.Deleted:
				delete(known, node.Name)
			default:
				known[node.Name] = node
			}
			c.changed(name, node)
		}
		if stream != nil {
			stream.Stop()
		}
	}
}

// CreateIn creates an object in the cluster to which t leads.
func CreateIn(ctx context.Context, p *Program, t client.Transport, obj api.Object) error {
	return crclient.New(t, p.cache).Create(ctx, obj)
}

// IgnoreNotConnected tells whether there was no connection, which will lead to another look when there is one.
func IgnoreNotConnected(ctx context.Context, err error) bool {
	if !errors.Is(err, ErrClusterNotConnected) {
		return false
	}
	ctx.Logger.V(5).Info("Requeuing because connection to the workload cluster is down")
	return true
}

// ignoreAlreadyExists makes nil of the error that there is such an object.
func ignoreAlreadyExists(err error) error {
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
